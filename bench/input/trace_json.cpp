#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "bench/input/window.h"

namespace wnpu::bench {
namespace {

using Json = nlohmann::ordered_json;

// Processes of the trace.
constexpr int kCpuProcess = 1;
constexpr int kArrayProcess = 2;

// Microseconds with nanoseconds behind the point, which keeps the file small.
double microseconds(double seconds) { return std::round(1e9 * seconds) * 1e-3; }

Json name_event(const char* what, int process, std::size_t thread, const std::string& name) {
  return {
      {"ph", "M"}, {"pid", process}, {"tid", thread}, {"name", what}, {"args", {{"name", name}}}};
}

// Lanes as threads, numbered in the order in which they come.
class TraceEvents {
 public:
  void add(const TimelineSpan& span) {
    const int process = span.origin == Origin::kModelled ? kArrayProcess : kCpuProcess;
    const auto [thread, is_new] = threads_.try_emplace({process, span.lane}, threads_.size() + 1);
    if (is_new) {
      events_.push_back(name_event("thread_name", process, thread->second, span.lane));
      // Lanes stand in the order of their numbers, not of their names.
      events_.push_back({{"ph", "M"},
                         {"pid", process},
                         {"tid", thread->second},
                         {"name", "thread_sort_index"},
                         {"args", {{"sort_index", thread->second}}}});
    }
    events_.push_back({{"ph", "X"},
                       {"pid", process},
                       {"tid", thread->second},
                       {"name", span.name},
                       {"ts", microseconds(span.start_s)},
                       {"dur", microseconds(span.end_s - span.start_s)},
                       {"args", {{"kind", name_of(span.origin)}}}});
  }

  void name_process(int process, const std::string& name) {
    events_.push_back(name_event("process_name", process, 0, name));
  }

  // An event a line.
  std::string text() const {
    std::string lines;
    for (const Json& event : events_) {
      lines +=
          (lines.empty() ? "" : ",\n") + event.dump(-1, ' ', false, Json::error_handler_t::replace);
    }
    return lines;
  }

 private:
  std::vector<Json> events_;
  std::map<std::pair<int, std::string>, std::size_t> threads_;
};

}  // namespace

std::string trace_json(const Window& window) {
  TraceEvents events;
  events.name_process(kCpuProcess, "CPU (measured)");
  events.name_process(kArrayProcess, "NPU array, " + window.preset + " (modelled)");
  for (const TimelineSpan& span : window.stages) events.add(span);
  for (const TimelineSpan& span : window.tiles) events.add(span);
  return "{\"displayTimeUnit\":\"ms\",\"otherData\":{\"npu\":\"modelled, no NPU was there\"},\n"
         "\"traceEvents\":[\n" +
         events.text() + "\n]}\n";
}

}  // namespace wnpu::bench
