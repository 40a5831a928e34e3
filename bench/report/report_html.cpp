#include "bench/report/report_html.h"

#include <string_view>

#include <nlohmann/json.hpp>

namespace wnpu::bench {

// page.html, embedded by the build.
extern const std::string_view kReportPage;

namespace {

using Json = nlohmann::ordered_json;

Json stages_json(const Report& report) {
  Json stages = Json::array();
  for (const StageTime& stage : report.stages) {
    stages.push_back(
        {{"name", stage.name}, {"seconds", stage.seconds}, {"origin", name_of(stage.origin)}});
  }
  return stages;
}

Json plans_json(const Report& report) {
  Json plans = Json::array();
  for (const PlanSpeed& plan : report.plans) {
    plans.push_back({{"name", plan.name},
                     {"frames", plan.frames},
                     {"speed", plan.speed},
                     {"origin", name_of(plan.origin)}});
  }
  return plans;
}

Json roofline_json(const Roofline& roofline) {
  Json kernels = Json::array();
  for (const KernelPoint& kernel : roofline.kernels) {
    kernels.push_back({{"name", kernel.name},
                       {"operations_per_byte", kernel.operations_per_byte},
                       {"gflops", kernel.gflops},
                       {"origin", name_of(kernel.origin)}});
  }
  return {{"machine", roofline.machine},
          {"peak_gflops", roofline.roof.peak_gflops},
          {"memory_gb_per_s", roofline.roof.memory_gb_per_s},
          {"kernels", kernels}};
}

Json timeline_json(const Timeline& timeline) {
  Json spans = Json::array();
  for (const TimelineSpan& span : timeline.spans) {
    spans.push_back({{"lane", span.lane},
                     {"name", span.name},
                     {"start_s", span.start_s},
                     {"end_s", span.end_s},
                     {"origin", name_of(span.origin)}});
  }
  return {{"title", timeline.title}, {"explanation", timeline.explanation}, {"spans", spans}};
}

Json trade_off_json(const TradeOff& chart) {
  Json points = Json::array();
  for (const TradeOffPoint& point : chart.points) {
    points.push_back({{"name", point.name},
                      {"text", point.text},
                      {"x", point.x},
                      {"y", point.y},
                      {"origin", name_of(point.origin)}});
  }
  return {{"title", chart.title},
          {"explanation", chart.explanation},
          {"x_name", chart.x_name},
          {"y_name", chart.y_name},
          {"points", points},
          {"others", chart.others},
          {"most_x", chart.most_x ? Json(*chart.most_x) : Json()}};
}

template <typename Part>
Json each_of(const std::vector<Part>& parts, Json (*json_of)(const Part&)) {
  Json list = Json::array();
  for (const Part& part : parts) list.push_back(json_of(part));
  return list;
}

// No text ends the script that holds the data, or begins a comment in it.
std::string in_script(const Json& data) {
  std::string text = data.dump(-1, ' ', false, Json::error_handler_t::replace);
  for (std::size_t at = 0; (at = text.find('<', at)) != std::string::npos; at += 6) {
    text.replace(at, 1, "\\u003c");
  }
  return text;
}

}  // namespace

std::string report_html(const Report& report) {
  const Json data = {{"title", report.title},
                     {"facts", report.facts},
                     {"notes", report.notes},
                     {"stages", stages_json(report)},
                     {"plans", plans_json(report)},
                     {"target_speed", report.target_speed},
                     {"rooflines", each_of(report.rooflines, roofline_json)},
                     {"timelines", each_of(report.timelines, timeline_json)},
                     {"trade_offs", each_of(report.trade_offs, trade_off_json)}};
  constexpr std::string_view kPlace = "@DATA@";
  std::string page(kReportPage);
  return page.replace(page.find(kPlace), kPlace.size(), in_script(data));
}

}  // namespace wnpu::bench
