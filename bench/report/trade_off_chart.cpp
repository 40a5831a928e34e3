#include <algorithm>

#include "bench/report/report_charts.h"
#include "bench/report/svg.h"

namespace wnpu::bench {
namespace {

constexpr double kPaneLeft = 80;
constexpr double kPaneRight = 850;
constexpr double kPaneTop = 24;
constexpr double kPaneBottom = 380;
constexpr double kPaneHeight = 440;

// From nothing to a little more than the most.
svg::Axis axis_to(double most, double from, double to) {
  return {svg::Scale::kLinear, 0, most > 0 ? 1.06 * most : 1, from, to};
}

struct Pane {
  svg::Axis x;
  svg::Axis y;

  svg::Point at(double to_right, double up) const { return {x.at(to_right), y.at(up)}; }
};

Pane pane_of(const TradeOff& chart) {
  double most_x = chart.most_x.value_or(0);
  double most_y = 0;
  for (const TradeOffPoint& p : chart.points) {
    most_x = std::max(most_x, p.x);
    most_y = std::max(most_y, p.y);
  }
  for (const auto& [x, y] : chart.others) {
    most_x = std::max(most_x, x);
    most_y = std::max(most_y, y);
  }
  return {axis_to(most_x, kPaneLeft, kPaneRight), axis_to(most_y, kPaneBottom, kPaneTop)};
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
  return content + svg::text({kPaneLeft, kPaneTop - 8}, chart.y_name, svg::Anchor::kMiddle);
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
