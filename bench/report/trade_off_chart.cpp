#include <algorithm>
#include <vector>

#include "bench/report/report_charts.h"
#include "bench/report/svg.h"

namespace wnpu::bench {
namespace {

constexpr double kPaneLeft = 80;
constexpr double kPaneRight = 850;
constexpr double kPaneTop = 24;
constexpr double kPaneBottom = 380;
constexpr double kPaneHeight = 440;

// Smallest and largest of values, which are not empty, with a little room around them.
svg::Axis axis_around(const std::vector<double>& values, double from, double to) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const double room = *high > *low ? 0.06 * (*high - *low) : 1;
  return {svg::Scale::kLinear, *low - room, *high + room, from, to};
}

struct Pane {
  svg::Axis x;
  svg::Axis y;

  svg::Point at(double to_right, double up) const { return {x.at(to_right), y.at(up)}; }
};

Pane pane_of(const TradeOff& chart) {
  std::vector<double> xs;
  std::vector<double> ys;
  const auto add = [&](double x, double y) {
    xs.push_back(x);
    ys.push_back(y);
  };
  for (const TradeOffPoint& p : chart.points) add(p.x, p.y);
  for (const auto& [x, y] : chart.others) add(x, y);
  if (chart.most_x) xs.push_back(*chart.most_x);
  return {axis_around(xs, kPaneLeft, kPaneRight), axis_around(ys, kPaneBottom, kPaneTop)};
}

std::string pane_grid(const TradeOff& chart, const Pane& pane) {
  std::string content = svg::horizontal_grid(pane.x, kPaneTop, kPaneBottom, "");
  for (const double tick : pane.y.ticks()) {
    const double y = pane.y.at(tick);
    content += svg::line({kPaneLeft, y}, {kPaneRight, y}, "grid");
    content += svg::text({kPaneLeft - 12, y + 5}, svg::number(tick), svg::Anchor::kEnd);
  }
  content += svg::text({(kPaneLeft + kPaneRight) / 2, kPaneBottom + 44}, chart.x_name,
                       svg::Anchor::kMiddle);
  return content + svg::text({8, kPaneTop - 8}, chart.y_name);
}

std::string limit_line(const TradeOff& chart, const Pane& pane) {
  if (!chart.most_x) return "";
  const double x = pane.x.at(*chart.most_x);
  return svg::line({x, kPaneTop}, {x, kPaneBottom}, "target") +
         svg::text({x, kPaneTop - 8}, "limit " + svg::number(*chart.most_x), svg::Anchor::kMiddle);
}

}  // namespace

std::string trade_off_chart(const TradeOff& chart) {
  const Pane pane = pane_of(chart);
  std::string content = pane_grid(chart, pane) + limit_line(chart, pane);
  for (const auto& [x, y] : chart.others) {
    content += svg::circle(pane.at(x, y), "seen",
                           "looked at: " + svg::number(x) + " " + chart.x_name + ", " +
                               svg::number(y) + " " + chart.y_name);
  }
  for (const TradeOffPoint& p : chart.points) {
    const svg::Point at = pane.at(p.x, p.y);
    content += svg::circle(at, name_of(p.origin), p.text + ", " + name_of(p.origin));
    content += svg::text({at.x + 9, at.y - 6}, p.name);
  }
  return chart_heading(chart.title, chart.explanation) +
         svg::document(kChartWidth, kPaneHeight, chart.title, content);
}

}  // namespace wnpu::bench
