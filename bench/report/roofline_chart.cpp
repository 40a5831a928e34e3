#include <algorithm>
#include <cmath>

#include "bench/report/report_charts.h"
#include "bench/report/svg.h"

namespace wnpu::bench {
namespace {

constexpr double kPlotLeft = 80;
constexpr double kPlotRight = 870;
constexpr double kPlotTop = 20;
constexpr double kPlotBottom = 350;
constexpr double kHeight = 400;
constexpr double kLetterWidth = 7;  // width of a letter, about
constexpr double kLine = 15;        // height of a line of text

// Places for labels beside their marks that no earlier label or mark has.
class Labels {
 public:
  void keep_clear(svg::Point mark) { taken_.push_back({{mark.x - 7, mark.y - 7}, 14, 14}); }

  // Where a label of the mark goes: its left end and base line.
  svg::Point place(svg::Point mark, std::size_t letters) {
    const double width = kLetterWidth * static_cast<double>(letters);
    svg::Box box;
    for (int step = 0; step < kSteps; ++step) {
      // Right, left, then the same further and further up and down.
      const double shift = kLine * std::ceil(step / 4.0) * (step / 2 % 2 == 0 ? 1 : -1);
      const double left = step % 2 == 0 ? mark.x + 10 : mark.x - 10 - width;
      box = {{left, mark.y - kLine / 2 + shift}, width, kLine};
      if (is_free(box)) break;
    }
    taken_.push_back(box);
    return {box.corner.x, box.corner.y + kLine - 4};
  }

 private:
  static constexpr int kSteps = 40;

  bool is_free(const svg::Box& box) const {
    const bool is_inside = box.corner.x > kPlotLeft && box.corner.x + box.width < kPlotRight + 25 &&
                           box.corner.y > kPlotTop && box.corner.y + box.height < kPlotBottom;
    return is_inside && std::none_of(taken_.begin(), taken_.end(), [&](const svg::Box& other) {
             return box.corner.x < other.corner.x + other.width &&
                    other.corner.x < box.corner.x + box.width &&
                    box.corner.y < other.corner.y + other.height &&
                    other.corner.y < box.corner.y + box.height;
           });
  }

  std::vector<svg::Box> taken_;
};

struct Axes {
  svg::Axis x;
  svg::Axis y;
};

// Whole decades that hold all kernels, the ridge and the peak.
Axes axes_of(const Roofline& roofline) {
  std::vector<double> intensities = {roofline.roof.peak_gflops / roofline.roof.memory_gb_per_s};
  std::vector<double> speeds = {roofline.roof.peak_gflops};
  for (const KernelPoint& kernel : roofline.kernels) {
    intensities.push_back(kernel.operations_per_byte);
    speeds.push_back(kernel.gflops);
  }
  return {svg::decades_around(intensities, kPlotLeft, kPlotRight),
          svg::decades_around(speeds, kPlotBottom, kPlotTop)};
}

std::string grid(const Axes& axes) {
  std::string content = svg::horizontal_grid(axes.x, kPlotTop, kPlotBottom, "");
  for (const double tick : axes.y.ticks()) {
    content += svg::line({kPlotLeft, axes.y.at(tick)}, {kPlotRight, axes.y.at(tick)}, "grid");
    content +=
        svg::text({kPlotLeft - 20, axes.y.at(tick) + 5}, svg::number(tick), svg::Anchor::kEnd);
  }
  return content + svg::text({(kPlotLeft + kPlotRight) / 2, kHeight - 12},
                             "operations per byte of memory", svg::Anchor::kMiddle);
}

double roof_at(const Roof& roof, double operations_per_byte) {
  return std::min(roof.peak_gflops, roof.memory_gb_per_s * operations_per_byte);
}

std::string roof_lines(const Roof& roof, const Axes& axes) {
  // The slope begins where it enters the drawing.
  const double start = std::max(axes.x.low, axes.y.low / roof.memory_gb_per_s);
  const double ridge = roof.peak_gflops / roof.memory_gb_per_s;
  const auto corner = [&](double x) {
    return svg::Point{axes.x.at(x), axes.y.at(roof_at(roof, x))};
  };
  return svg::line(corner(start), corner(ridge), "roof") +
         svg::line(corner(ridge), corner(axes.x.high), "roof");
}

}  // namespace

std::string roofline_chart(const Roofline& roofline) {
  const Axes axes = axes_of(roofline);
  std::string content = grid(axes) + roof_lines(roofline.roof, axes);
  const auto place_of = [&](const KernelPoint& kernel) {
    return svg::Point{axes.x.at(kernel.operations_per_byte), axes.y.at(kernel.gflops)};
  };
  Labels labels;
  for (const KernelPoint& kernel : roofline.kernels) labels.keep_clear(place_of(kernel));
  for (const KernelPoint& kernel : roofline.kernels) {
    const double share = kernel.gflops / roof_at(roofline.roof, kernel.operations_per_byte);
    content +=
        svg::circle(place_of(kernel), name_of(kernel.origin),
                    kernel.name + ": " + svg::number(kernel.gflops) + " GFLOP/s, " +
                        svg::number(100 * share) + " % of the roof, " + name_of(kernel.origin));
    content += svg::text(labels.place(place_of(kernel), kernel.name.size()), kernel.name);
  }
  return chart_heading("Roofline: " + roofline.machine,
                       "GFLOP/s of each kernel below what arithmetic (" +
                           svg::number(roofline.roof.peak_gflops) + " GFLOP/s) and memory (" +
                           svg::number(roofline.roof.memory_gb_per_s) + " GB/s) allow.") +
         svg::document(kChartWidth, kHeight, "roofline of " + roofline.machine, content);
}

}  // namespace wnpu::bench
