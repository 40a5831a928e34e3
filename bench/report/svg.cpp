#include "bench/report/svg.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/formats/markup.h"

namespace wnpu::bench::svg {
namespace {

constexpr double kMostTicks = 6;

std::string pixels(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof(buffer), "%.1f", value);
  return buffer;
}

std::string attribute(std::string_view name, double value) {
  return " " + std::string(name) + "=\"" + pixels(value) + "\"";
}

std::string mark_class(std::string_view css_class) {
  return " class=\"mark " + std::string(css_class) + "\"";
}

std::string title(std::string_view hint) {
  return "><title>" + app::escaped_markup(hint) + "</title></";
}

// The next of 1, 2, 5, 10, ... times a power of ten that leaves at most kMostTicks steps.
double tick_distance(double range) {
  const double least = range / kMostTicks;
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1, 2, 5}) {
    if (factor * power >= least) {
      return factor * power;
    }
  }
  return 10 * power;
}

}  // namespace

std::string number(double value) {
  char buffer[64];
  const bool is_large = std::abs(value) >= 100;
  std::snprintf(buffer, sizeof(buffer), is_large ? "%.0f" : "%.3g", value);
  return buffer;
}

double Axis::at(double value) const {
  const double share = scale == Scale::kLinear ? (value - low) / (high - low)
                                               : std::log10(value / low) / std::log10(high / low);
  return from + share * (to - from);
}

std::vector<double> Axis::ticks() const {
  std::vector<double> values;
  if (scale == Scale::kLogarithmic) {
    for (double value = low; value <= high * 1.001; value *= 10) {
      values.push_back(value);
    }
    return values;
  }
  const double distance = tick_distance(high - low);
  const auto first = static_cast<long>(std::ceil(low / distance - 1e-9));
  const auto last = static_cast<long>(std::floor(high / distance + 1e-9));
  for (long i = first; i <= last; ++i) {
    values.push_back(static_cast<double>(i) * distance);
  }
  return values;
}

Axis decades_around(const std::vector<double>& values, double from, double to) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const double low = std::pow(10, std::floor(std::log10(*least)));
  const double high = std::pow(10, std::ceil(std::log10(*most)));
  return {Scale::kLogarithmic, low, std::max(high, low * 10), from, to};
}

std::string line(Point from, Point to, std::string_view css_class) {
  return "<line class=\"" + std::string(css_class) + "\"" + attribute("x1", from.x) +
         attribute("y1", from.y) + attribute("x2", to.x) + attribute("y2", to.y) + "/>\n";
}

std::string text(Point at, std::string_view content, Anchor anchor, std::string_view css_class) {
  const char* name = anchor == Anchor::kStart    ? "start"
                     : anchor == Anchor::kMiddle ? "middle"
                                                 : "end";
  const std::string styled = css_class.empty() ? "" : " class=\"" + std::string(css_class) + "\"";
  return "<text" + styled + attribute("x", at.x) + attribute("y", at.y) + " text-anchor=\"" + name +
         "\">" + app::escaped_markup(content) + "</text>\n";
}

std::string rectangle(const Box& box, std::string_view css_class, std::string_view hint) {
  return "<rect" + mark_class(css_class) + attribute("x", box.corner.x) +
         attribute("y", box.corner.y) + attribute("width", std::max(box.width, 1.0)) +
         attribute("height", box.height) + title(hint) + "rect>\n";
}

std::string circle(Point centre, std::string_view css_class, std::string_view hint) {
  return "<circle" + mark_class(css_class) + attribute("cx", centre.x) + attribute("cy", centre.y) +
         " r=\"6\"" + title(hint) + "circle>\n";
}

std::string horizontal_grid(const Axis& axis, double top, double bottom, std::string_view unit) {
  std::string grid;
  for (const double tick : axis.ticks()) {
    const double x = axis.at(tick);
    grid += line({x, top}, {x, bottom}, "grid");
    grid += text({x, bottom + 16}, number(tick) + std::string(unit), Anchor::kMiddle);
  }
  return grid;
}

std::string document(double width, double height, std::string_view label,
                     std::string_view content) {
  return "<svg role=\"img\" aria-label=\"" + app::escaped_markup(label) + "\" viewBox=\"0 0 " +
         pixels(width) + " " + pixels(height) + "\">\n" + std::string(content) + "</svg>\n";
}

}  // namespace wnpu::bench::svg
