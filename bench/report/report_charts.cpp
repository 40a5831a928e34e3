#include "bench/report/report_charts.h"

#include <algorithm>
#include <numeric>

#include "app/formats/markup.h"
#include "bench/core/text_table.h"
#include "bench/report/svg.h"

namespace wnpu::bench {
namespace {

constexpr double kLabels = 270;  // left of horizontal bars
constexpr double kRight = 830;   // leaves room for a number after the longest bar
constexpr double kRow = 26;
constexpr double kTop = 22;        // leaves room for a line of text above the first row
constexpr double kLetter = 7.5;    // width of a letter, at least that of the commonest
constexpr double kBelowAxis = 24;  // numbers of the axis

double row_middle(double row) { return kTop + kRow * (row + 0.5); }
double rows_bottom(double rows) { return kTop + kRow * rows; }

double total_of(const std::vector<StageTime>& stages) {
  return std::accumulate(stages.begin(), stages.end(), 0.0,
                         [](double sum, const StageTime& stage) { return sum + stage.seconds; });
}

std::string of_total(double seconds, double total) {
  return human_seconds(seconds) + ", " + percent(seconds / total);
}

// "1500 frames: 30 s of audio"
std::string frames_heading(int frames) {
  return std::to_string(frames) + " frames: " + svg::number(0.02 * frames) + " s of audio";
}

std::string plan_mark(const PlanSpeed& plan, const svg::Axis& axis, double y) {
  const svg::Point at = {axis.at(plan.speed), y};
  const std::string value = svg::number(plan.speed) + "x";
  return svg::text({kLabels - 8, y + 5}, plan.name, svg::Anchor::kEnd) +
         svg::line({axis.from, y}, at, "stem") +
         svg::circle(at, name_of(plan.origin),
                     plan.name + ", " + std::to_string(plan.frames) + " frames: " + value + ", " +
                         name_of(plan.origin)) +
         svg::text({at.x + 12, y + 5}, value);
}

std::vector<std::string> lanes_of(const std::vector<TimelineSpan>& timeline) {
  std::vector<std::string> lanes;
  for (const TimelineSpan& span : timeline) {
    if (std::find(lanes.begin(), lanes.end(), span.lane) == lanes.end()) lanes.push_back(span.lane);
  }
  return lanes;
}

// A piece of a lane; its name where there is room for it.
std::string timeline_mark(const TimelineSpan& span, const svg::Axis& axis, double y) {
  const double start = axis.at(1e3 * span.start_s);
  const double width = std::max(axis.at(1e3 * span.end_s) - start, 1.0);
  std::string mark =
      svg::rectangle({{start, y - 10}, width, 20}, name_of(span.origin),
                     span.name + ": " + svg::number(1e3 * (span.end_s - span.start_s)) + " ms, " +
                         name_of(span.origin));
  if (kLetter * static_cast<double>(span.name.size()) < width - 4) {
    mark += svg::text({start + width / 2, y + 5}, span.name, svg::Anchor::kMiddle, "inside");
  }
  return mark;
}

}  // namespace

std::string chart_heading(const std::string& title, const std::string& explanation) {
  return "<h2>" + app::escaped_markup(title) + "</h2>\n<p>" + app::escaped_markup(explanation) +
         "</p>\n";
}

std::string stage_chart(const std::vector<StageTime>& stages) {
  const auto longer = [](const StageTime& a, const StageTime& b) { return a.seconds < b.seconds; };
  const double most = std::max_element(stages.begin(), stages.end(), longer)->seconds;
  const double total = total_of(stages);
  // Room after the longest bar for its value.
  const svg::Axis axis = {svg::Scale::kLinear, 0, std::max(1e3 * most, 1e-3), kLabels, kRight - 70};
  const double bottom = rows_bottom(static_cast<double>(stages.size()));
  std::string content = svg::horizontal_grid(axis, kTop, bottom, " ms");
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const double y = row_middle(static_cast<double>(i));
    const double end = axis.at(1e3 * stages[i].seconds);
    const std::string value = of_total(stages[i].seconds, total);
    content += svg::text({kLabels - 8, y + 5}, stages[i].name, svg::Anchor::kEnd);
    content += svg::rectangle({{kLabels, y - 9}, end - kLabels, 18}, name_of(stages[i].origin),
                              stages[i].name + ": " + value);
    content += svg::text({end + 6, y + 5}, value);
  }
  return chart_heading("Stages", "From the audio file to the text: " + human_seconds(total) + ".") +
         svg::document(kChartWidth, bottom + kBelowAxis, "time of each stage", content);
}

std::string plan_chart(const std::vector<PlanSpeed>& plans, double target_speed) {
  std::vector<double> speeds = {target_speed};
  for (const PlanSpeed& plan : plans) speeds.push_back(plan.speed);
  const svg::Axis axis = svg::decades_around(speeds, kLabels, kRight);
  std::string marks;
  double row = 0;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    if (i == 0 || plans[i].frames != plans[i - 1].frames) {
      row += i == 0 ? 0 : 0.3;
      marks += svg::text({16, row_middle(row) + 5}, frames_heading(plans[i].frames),
                         svg::Anchor::kStart, "group");
      ++row;
    }
    marks += plan_mark(plans[i], axis, row_middle(row));
    ++row;
  }
  const double bottom = rows_bottom(row);
  const double target = axis.at(target_speed);
  const std::string content =
      svg::horizontal_grid(axis, kTop, bottom, "x") +
      svg::line({target, kTop}, {target, bottom}, "target") +
      svg::text({target, kTop - 6}, "goal " + svg::number(target_speed) + "x",
                svg::Anchor::kMiddle) +
      marks;
  return chart_heading("Plans",
                       "Ways to run the encoder's layers: audio time / processing time, on a "
                       "logarithmic axis; further right is faster.") +
         svg::document(kChartWidth, bottom + kBelowAxis, "speed of each plan", content);
}

std::string timeline_chart(const Timeline& timeline) {
  const std::vector<std::string> lanes = lanes_of(timeline.spans);
  const double end = std::ranges::max(timeline.spans, {}, &TimelineSpan::end_s).end_s;
  const svg::Axis axis = {svg::Scale::kLinear, 0, std::max(1e3 * end, 1e-3), 190, kRight};
  const double bottom = rows_bottom(static_cast<double>(lanes.size()));
  std::string content = svg::horizontal_grid(axis, kTop, bottom, " ms");
  for (std::size_t row = 0; row < lanes.size(); ++row) {
    content += svg::text({axis.from - 8, row_middle(static_cast<double>(row)) + 5}, lanes[row],
                         svg::Anchor::kEnd);
  }
  for (const TimelineSpan& span : timeline.spans) {
    const auto lane = std::find(lanes.begin(), lanes.end(), span.lane) - lanes.begin();
    content += timeline_mark(span, axis, row_middle(static_cast<double>(lane)));
  }
  return chart_heading(timeline.title, timeline.explanation) +
         svg::document(kChartWidth, bottom + kBelowAxis, timeline.title, content);
}

}  // namespace wnpu::bench
