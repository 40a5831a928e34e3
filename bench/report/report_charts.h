// The charts of the report, each a heading and an SVG. Their data are not empty.
#pragma once

#include <string>
#include <vector>

#include "bench/core/report.h"

namespace wnpu::bench {

// Pixels of the drawings, which the page scales to its width.
inline constexpr double kChartWidth = 900;

std::string stage_chart(const std::vector<StageTime>& stages);
std::string plan_chart(const std::vector<PlanSpeed>& plans, double target_speed);
std::string roofline_chart(const Roofline& roofline);
std::string timeline_chart(const Timeline& timeline);
std::string trade_off_chart(const TradeOff& trade_off);

// <h2> and a paragraph, both escaped.
std::string chart_heading(const std::string& title, const std::string& explanation);

}  // namespace wnpu::bench
