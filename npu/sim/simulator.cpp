#include "npu/sim/simulator.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace wnpu::npu {

double SimReport::utilisation() const {
  double busy = 0;
  for (const CoreCycles& core : cores) busy += core.busy;
  return cycles > 0 ? busy / (cycles * static_cast<double>(cores.size())) : 0;
}

EncodedCall encoded_call(const Design& design, const ControlProgram& program) {
  EncodedCall call{design, encode(program), {}, design.name, {}};
  for (const Memory& memory : design.memories) {
    if (memory.is_argument) call.argument_bytes.push_back(memory.bytes);
  }
  for (const Phase& phase : design.phases) call.phases.push_back(phase.name);
  return call;
}

std::vector<Span> merged_spans(const SimReport& report) {
  std::vector<Span> spans = report.spans;
  std::ranges::stable_sort(spans, [](const Span& x, const Span& y) {
    return x.track != y.track ? x.track < y.track : x.start < y.start;
  });
  std::vector<Span> result;
  for (const Span& span : spans) {
    const bool continues = !result.empty() && result.back().track == span.track &&
                           result.back().name == span.name && span.start <= result.back().end;
    if (continues) {
      result.back().end = span.end;
    } else {
      result.push_back(span);
    }
  }
  return result;
}

// Trace Event Format: complete events ("ph":"X") with ts and dur in microseconds.
std::string trace_json(const SimReport& report, const HardwareModel& preset) {
  const double us_per_cycle = 1e-3 / preset.clock_ghz;
  std::string json =
      "{\"otherData\":{\"simulated\":true,\"preset\":\"" + preset.name + "\"},\"traceEvents\":[\n";
  for (std::size_t i = 0; i < report.tracks.size(); ++i) {
    json += "{\"ph\":\"M\",\"pid\":1,\"tid\":" + std::to_string(i) +
            ",\"name\":\"thread_name\",\"args\":{\"name\":\"" + report.tracks[i] + "\"}},\n";
  }
  for (const Span& span : merged_spans(report)) {
    std::array<char, 64> times{};
    std::snprintf(times.data(), times.size(), "\"ts\":%.3f,\"dur\":%.3f", span.start * us_per_cycle,
                  (span.end - span.start) * us_per_cycle);
    json += "{\"ph\":\"X\",\"pid\":1,\"tid\":" + std::to_string(span.track) + ",\"name\":\"" +
            std::string(span.name) + "\"," + times.data() + "},\n";
  }
  json +=
      "{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"args\":{\"name\":\"simulated NPU\"}}";
  return json + "\n]}\n";
}

}  // namespace wnpu::npu
