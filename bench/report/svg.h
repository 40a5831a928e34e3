// Pieces of SVG charts: axes that map values to pixels, and the elements drawn on them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wnpu::bench::svg {

// Three digits; no exponent from 0.0001 up: "0.034", "12.5", "1400".
std::string number(double value);

enum class Scale { kLinear, kLogarithmic };

// Values low..high lie at pixels from..to.
struct Axis {
  Scale scale = Scale::kLinear;
  double low = 0;
  double high = 1;
  double from = 0;
  double to = 100;

  double at(double value) const;
  // Decades of a logarithmic axis; 1, 2 or 5 times a power of ten apart on a linear one.
  std::vector<double> ticks() const;
};

// A logarithmic axis of whole decades around all values, which are > 0 and not empty.
Axis decades_around(const std::vector<double>& values, double from, double to);

struct Point {
  double x = 0;
  double y = 0;
};

struct Box {
  Point corner;  // top left
  double width = 0;
  double height = 0;
};

std::string line(Point from, Point to, std::string_view css_class);
enum class Anchor { kStart, kMiddle, kEnd };
std::string text(Point at, std::string_view content, Anchor anchor = Anchor::kStart,
                 std::string_view css_class = "");
// Marks carry one datum; `hint` shows when the mouse rests on them.
std::string rectangle(const Box& box, std::string_view css_class, std::string_view hint);
std::string circle(Point centre, std::string_view css_class, std::string_view hint);

// A vertical grid line and a number below it for each tick of a horizontal axis.
std::string horizontal_grid(const Axis& axis, double top, double bottom, std::string_view unit);

// <svg> of width x height around content, which a reader of the page hears as `label`.
std::string document(double width, double height, std::string_view label, std::string_view content);

}  // namespace wnpu::bench::svg
