#include "bench/report_html.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bench/svg.h"

namespace wnpu::bench {
namespace {

// Pixels of the drawings, which the page scales to its width.
constexpr double kWidth = 900;
constexpr double kLabels = 310;  // left of horizontal bars
constexpr double kRight = 830;   // leaves room for a number after the longest bar
constexpr double kRow = 26;
constexpr double kTop = 12;
constexpr double kRoofHeight = 400;

constexpr const char* kStyle = R"(
body { font: 16px/1.5 system-ui, sans-serif; color: #1f2937; background: #fff;
       max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin-top: 2.5rem; }
p { color: #4b5563; } svg { width: 100%; height: auto; }
svg text { font: 13px system-ui, sans-serif; fill: #374151; }
table { border-collapse: collapse; }
td, th { text-align: left; padding: .15rem 1rem .15rem 0; vertical-align: top; }
th { font-weight: 600; white-space: nowrap; }
.grid { stroke: #e5e7eb; } .roof { stroke: #374151; stroke-width: 2; }
.target { stroke: #b91c1c; stroke-width: 2; stroke-dasharray: 6 4; }
.measured { fill: #2563eb; } .modelled { fill: #d97706; } .published { fill: #6b7280; }
.key { display: inline-block; width: .8em; height: .8em; margin: 0 .3em 0 1em; }
.key.measured { background: #2563eb; } .key.modelled { background: #d97706; }
.key.published { background: #6b7280; }
)";

std::string heading(const std::string& title, const std::string& explanation) {
  return "<h2>" + title + "</h2>\n<p>" + explanation + "</p>\n";
}

double row_middle(std::size_t row) { return kTop + kRow * (static_cast<double>(row) + 0.5); }

double rows_bottom(std::size_t rows) { return kTop + kRow * static_cast<double>(rows); }

// A bar from x = start to x = end in a row, its label before it and its value after it.
struct Bar {
  std::string label;
  std::string value;
  std::string css_class;
  double start = kLabels;
  double end = kLabels;
};

std::string draw_bar(std::size_t row, const Bar& bar) {
  const double middle = row_middle(row);
  return svg::text({kLabels - 8, middle + 5}, bar.label, svg::Anchor::kEnd) +
         svg::rectangle({{bar.start, middle - 9}, bar.end - bar.start, 18}, bar.css_class,
                        bar.label + ": " + bar.value) +
         svg::text({bar.end + 6, middle + 5}, bar.value);
}

std::string facts_table(const Report& report) {
  std::string rows;
  for (const auto& [name, value] : report.facts) {
    rows += "<tr><th>" + svg::escaped(name) + "</th><td>" + svg::escaped(value) + "</td></tr>\n";
  }
  return "<table>\n" + rows + "</table>\n";
}

std::string legend() {
  std::string keys = "<p>Every figure is";
  for (const Origin origin : {Origin::kMeasured, Origin::kModelled, Origin::kPublished}) {
    keys += "<span class=\"key " + name_of(origin) + "\"></span>" + name_of(origin);
  }
  return keys + "</p>\n";
}

std::string stage_chart(const std::vector<StageTime>& stages) {
  const auto longer = [](const StageTime& a, const StageTime& b) { return a.seconds < b.seconds; };
  const double most = std::max_element(stages.begin(), stages.end(), longer)->seconds;
  const double total =
      std::accumulate(stages.begin(), stages.end(), 0.0,
                      [](double sum, const StageTime& stage) { return sum + stage.seconds; });
  const svg::Axis axis = {svg::Scale::kLinear, 0, std::max(1e3 * most, 1e-3), kLabels, kRight};
  const double bottom = rows_bottom(stages.size());
  std::string content = svg::horizontal_grid(axis, kTop, bottom, " ms");
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const double ms = 1e3 * stages[i].seconds;
    content += draw_bar(i, {stages[i].name, svg::number(ms) + " ms", name_of(stages[i].origin),
                            kLabels, axis.at(ms)});
  }
  return heading("Stages",
                 "From the audio file to the text: " + svg::number(1e3 * total) + " ms in all.") +
         svg::document(kWidth, bottom + 24, "time of each stage", content);
}

std::string plan_chart(const Report& report) {
  std::vector<double> speeds = {report.target_speed};
  for (const PlanSpeed& plan : report.plans) {
    speeds.push_back(plan.speed);
  }
  const svg::Axis axis = svg::decades_around(speeds, kLabels, kRight);
  const double bottom = rows_bottom(report.plans.size());
  std::string content = svg::horizontal_grid(axis, kTop, bottom, "x");
  for (std::size_t i = 0; i < report.plans.size(); ++i) {
    const PlanSpeed& plan = report.plans[i];
    std::string label = plan.name;
    label.append(", ").append(std::to_string(plan.frames)).append(" frames");
    const std::string value = svg::number(plan.speed) + "x";
    const svg::Point at = {axis.at(plan.speed), row_middle(i)};
    content += svg::text({kLabels - 8, at.y + 5}, label, svg::Anchor::kEnd);
    content += svg::circle(at, name_of(plan.origin), label.append(": ").append(value));
    content += svg::text({at.x + 12, at.y + 5}, value);
  }
  const double target = axis.at(report.target_speed);
  content += svg::line({target, kTop}, {target, bottom}, "target");
  content +=
      svg::text({target, kTop - 2}, svg::number(report.target_speed) + "x", svg::Anchor::kMiddle);
  return heading("Plans",
                 "Ways to run the encoder: audio time by processing time, on a logarithmic axis; "
                 "further right is faster. The dashed line is the goal.") +
         svg::document(kWidth, bottom + 24, "speed of each plan", content);
}

std::string roof_lines(const Roof& roof, const svg::Axis& x, const svg::Axis& y) {
  const double ridge = std::clamp(roof.peak_gflops / roof.memory_gb_per_s, x.low, x.high);
  const auto height = [&](double intensity) {
    const double gflops = std::min(roof.peak_gflops, roof.memory_gb_per_s * intensity);
    return y.at(std::max(gflops, y.low));
  };
  const double start = std::clamp(y.low / roof.memory_gb_per_s, x.low, x.high);
  return svg::line({x.at(start), height(start)}, {x.at(ridge), height(ridge)}, "roof") +
         svg::line({x.at(ridge), height(ridge)}, {x.at(x.high), height(x.high)}, "roof");
}

std::string roofline_chart(const Report& report) {
  std::vector<double> intensities = {report.roof.peak_gflops / report.roof.memory_gb_per_s};
  std::vector<double> speeds = {report.roof.peak_gflops};
  for (const KernelPoint& kernel : report.kernels) {
    intensities.push_back(kernel.operations_per_byte);
    speeds.push_back(kernel.gflops);
  }
  const svg::Axis x = svg::decades_around(intensities, 80, kRight);
  const svg::Axis y = svg::decades_around(speeds, kRoofHeight - 50, kTop);
  std::string content = svg::horizontal_grid(x, kTop, kRoofHeight - 50, "");
  for (const double tick : y.ticks()) {
    content += svg::line({x.from, y.at(tick)}, {x.to, y.at(tick)}, "grid");
    content += svg::text({x.from - 8, y.at(tick) + 5}, svg::number(tick), svg::Anchor::kEnd);
  }
  content += roof_lines(report.roof, x, y);
  for (const KernelPoint& kernel : report.kernels) {
    const svg::Point at = {x.at(kernel.operations_per_byte), y.at(kernel.gflops)};
    const double share =
        kernel.gflops /
        std::min(report.roof.peak_gflops, report.roof.memory_gb_per_s * kernel.operations_per_byte);
    const std::string hint = kernel.name + ": " + svg::number(kernel.gflops) + " GFLOP/s, " +
                             svg::number(100 * share) + " % of the roof";
    content += svg::circle(at, name_of(kernel.origin), hint);
    content += at.x > kRight - 200
                   ? svg::text({at.x - 10, at.y + 4}, kernel.name, svg::Anchor::kEnd)
                   : svg::text({at.x + 10, at.y + 4}, kernel.name);
  }
  content += svg::text({(x.from + x.to) / 2, kRoofHeight - 12}, "operations per byte of memory",
                       svg::Anchor::kMiddle);
  return heading("Roofline", "GFLOP/s of each kernel below what the machine's arithmetic (" +
                                 svg::number(report.roof.peak_gflops) + " GFLOP/s) and memory (" +
                                 svg::number(report.roof.memory_gb_per_s) + " GB/s) allow.") +
         svg::document(kWidth, kRoofHeight, "roofline of the kernels", content);
}

std::vector<std::string> lanes_of(const std::vector<TimelineSpan>& timeline) {
  std::vector<std::string> lanes;
  for (const TimelineSpan& span : timeline) {
    if (std::find(lanes.begin(), lanes.end(), span.lane) == lanes.end()) {
      lanes.push_back(span.lane);
    }
  }
  return lanes;
}

std::string timeline_chart(const std::vector<TimelineSpan>& timeline) {
  const std::vector<std::string> lanes = lanes_of(timeline);
  const auto earlier = [](const TimelineSpan& a, const TimelineSpan& b) {
    return a.end_s < b.end_s;
  };
  const double end = std::max_element(timeline.begin(), timeline.end(), earlier)->end_s;
  const svg::Axis axis = {svg::Scale::kLinear, 0, std::max(1e3 * end, 1e-3), kLabels, kRight};
  const double bottom = rows_bottom(lanes.size());
  std::string content = svg::horizontal_grid(axis, kTop, bottom, " ms");
  for (std::size_t row = 0; row < lanes.size(); ++row) {
    content += svg::text({kLabels - 8, row_middle(row) + 5}, lanes[row], svg::Anchor::kEnd);
  }
  for (const TimelineSpan& span : timeline) {
    const auto lane = std::find(lanes.begin(), lanes.end(), span.lane) - lanes.begin();
    const double start = axis.at(1e3 * span.start_s);
    content +=
        svg::rectangle({{start, row_middle(static_cast<std::size_t>(lane)) - 10},
                        axis.at(1e3 * span.end_s) - start - 1,
                        20},
                       name_of(span.origin),
                       span.name + ": " + svg::number(1e3 * (span.end_s - span.start_s)) + " ms");
  }
  return heading("One window", "What each part of the machine did; rest the mouse on a piece.") +
         svg::document(kWidth, bottom + 24, "timeline of one window", content);
}

}  // namespace

std::string report_html(const Report& report) {
  const std::string title = svg::escaped(report.title);
  std::string page =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<link rel=\"icon\" href=\"data:,\">\n<title>" +
      title + "</title>\n<style>" + kStyle + "</style>\n</head>\n<body>\n<h1>" + title + "</h1>\n" +
      facts_table(report) + legend();
  if (!report.stages.empty()) {
    page += stage_chart(report.stages);
  }
  if (!report.plans.empty()) {
    page += plan_chart(report);
  }
  if (!report.kernels.empty()) {
    page += roofline_chart(report);
  }
  if (!report.timeline.empty()) {
    page += timeline_chart(report.timeline);
  }
  return page + "</body>\n</html>\n";
}

}  // namespace wnpu::bench
