#include "npu/time_model/plan_profile.h"

#include <algorithm>
#include <list>

#include "npu/sim/compile_call.h"
#include "npu/time_model/call_parts.h"

namespace wnpu::npu {
namespace {

constexpr double CoreCycles::*kParts[]{&CoreCycles::busy,           &CoreCycles::waiting_a,
                                       &CoreCycles::waiting_b,      &CoreCycles::waiting_c,
                                       &CoreCycles::waiting_header, &CoreCycles::finished};

void add(CoreCycles& to, const CoreCycles& from, double factor) {
  for (double CoreCycles::*part : kParts) to.*part += factor * (from.*part);
}

void add_operations(PlanProfile& profile, const Design& design, const SimReport& report) {
  const double share = 1 / static_cast<double>(report.cores.size());
  for (std::size_t i = 0; i < report.phases.size(); ++i) {
    const std::string& name = design.phases[i].name;
    auto found = std::ranges::find(profile.operations, name, &OperationProfile::name);
    if (found == profile.operations.end()) {
      profile.operations.push_back({name, 0, {}});
      found = std::prev(profile.operations.end());
    }
    ++found->n_phases;
    add(found->cycles, report.phases[i], share);
  }
}

void add_profiled_call(PlanProfile& profile, const Design& design, const HardwareModel& preset) {
  const TimedCall timed = time_call(design, preset);
  const SimReport& report = timed.report;
  const CallParts parts = call_parts(design, preset);
  profile.program_bytes += encode(timed.program.program).size();
  profile.cycles += report.cycles;
  for (const CoreCycles& core : report.cores) {
    add(profile.cores, core, 1 / static_cast<double>(report.cores.size()));
  }
  add_operations(profile, design, report);
  profile.controller.operations += report.controller.operations;
  profile.controller.busy += report.controller.busy;
  profile.controller.waiting += report.controller.waiting;
  profile.stream += parts.streams;
  profile.ddr_read += parts.ddr_read;
  profile.ddr_write += parts.ddr_write;
  profile.ddr_bytes += report.ddr_read_bytes + report.ddr_write_bytes;
  profile.bound += parts.bound();
}

}  // namespace

PlanProfile profile_plan(std::span<const Design> calls, const HardwareModel& preset) {
  PlanProfile profile;
  for (const Design& design : calls) add_profiled_call(profile, design, preset);
  profile.launch_ms = static_cast<double>(calls.size()) * preset.list_launch_us * 1e-3;
  profile.ms = profile.launch_ms + profile.cycles / (preset.clock_ghz * 1e6);
  return profile;
}

std::string trace_plan(std::span<const Design> calls, const HardwareModel& preset) {
  std::list<EncodedCall> encoded;  // has the names of the spans
  SimReport all;
  double start = 0;
  for (const Design& design : calls) {
    start += preset.list_launch_us * 1e3 * preset.clock_ghz;
    const ControlProgram program = control_program(design).program;
    SimOptions options{&preset, true};
    options.costs = &controller_of(preset);
    encoded.push_back(encoded_call(design, program));
    SimReport report = simulate(encoded.back(), options, {});
    all.tracks = std::move(report.tracks);
    for (Span& span : report.spans) {
      all.spans.push_back({span.track, span.name, start + span.start, start + span.end});
    }
    start += report.cycles;
  }
  return trace_json(all, preset);
}

}  // namespace wnpu::npu
