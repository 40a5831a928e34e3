#include "bench/report/report_html.h"

#include "app/formats/markup.h"
#include "bench/report/report_charts.h"

namespace wnpu::bench {
namespace {

constexpr const char* kStyle = R"(
body { font: 16px/1.5 system-ui, sans-serif; color: #1f2937; background: #fff;
       max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin-top: 2.5rem; }
p, li { color: #4b5563; } svg { width: 100%; height: auto; }
svg text { font: 13px system-ui, sans-serif; fill: #374151;
           paint-order: stroke; stroke: #fff; stroke-width: 3px; }
table { border-collapse: collapse; }
td, th { text-align: left; padding: .15rem 1rem .15rem 0; vertical-align: top; }
th { font-weight: 600; white-space: nowrap; }
.grid { stroke: #e5e7eb; } .roof { stroke: #374151; stroke-width: 2; }
.target { stroke: #b91c1c; stroke-width: 2; stroke-dasharray: 6 4; }
.stem { stroke: #9ca3af; } svg text.group { font-weight: 600; }
svg text.inside { fill: #fff; stroke: none; font-size: 12px; pointer-events: none; }
rect.mark { stroke: #fff; stroke-width: .5; }
.seen { fill: #e5e7eb; }
.measured { fill: #2563eb; } .modelled { fill: #d97706; } .published { fill: #6b7280; }
.key { display: inline-block; width: .8em; height: .8em; margin: 0 .3em 0 1em; }
.key.measured { background: #2563eb; } .key.modelled { background: #d97706; }
.key.published { background: #6b7280; }
)";

std::string facts_table(const Report& report) {
  std::string rows;
  for (const auto& [name, value] : report.facts) {
    rows += "<tr><th>" + app::escaped_markup(name) + "</th><td>" + app::escaped_markup(value) +
            "</td></tr>\n";
  }
  return "<table>\n" + rows + "</table>\n";
}

std::string notes_of(const Report& report) {
  std::string items;
  for (const std::string& note : report.notes)
    items += "<li>" + app::escaped_markup(note) + "</li>\n";
  return items.empty() ? "" : "<ul class=\"notes\">\n" + items + "</ul>\n";
}

std::string legend() {
  std::string keys = "<p>Every figure is";
  for (const Origin origin : {Origin::kMeasured, Origin::kModelled, Origin::kPublished}) {
    keys += "<span class=\"key " + name_of(origin) + "\"></span>" + name_of(origin);
  }
  return keys + "</p>\n";
}

}  // namespace

std::string report_html(const Report& report) {
  const std::string title = app::escaped_markup(report.title);
  std::string page =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n"
      "<link rel=\"icon\" href=\"data:,\">\n<title>" +
      title + "</title>\n<style>" + kStyle + "</style>\n</head>\n<body>\n<h1>" + title + "</h1>\n" +
      facts_table(report) + notes_of(report) + legend();
  if (!report.stages.empty()) page += stage_chart(report.stages);
  if (!report.plans.empty()) page += plan_chart(report.plans, report.target_speed);
  for (const Roofline& roofline : report.rooflines) {
    if (!roofline.kernels.empty()) page += roofline_chart(roofline);
  }
  for (const Timeline& timeline : report.timelines) {
    if (!timeline.spans.empty()) page += timeline_chart(timeline);
  }
  for (const TradeOff& trade_off : report.trade_offs) {
    if (!trade_off.points.empty()) page += trade_off_chart(trade_off);
  }
  return page + "</body>\n</html>\n";
}

}  // namespace wnpu::bench
