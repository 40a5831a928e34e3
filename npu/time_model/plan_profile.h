// Profile of a plan's simulated time: cores, streams, DDR and controller, and what cores wait for
// in each operation. All by the time model.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "npu/design/design.h"
#include "npu/sim/simulator.h"

namespace wnpu::npu {

// Cycles of an average core in all phases of one operation.
struct OperationProfile {
  std::string name;
  std::size_t n_phases = 0;
  CoreCycles cycles;
};

struct PlanProfile {
  double ms = 0;  // launches included
  double launch_ms = 0;
  double cycles = 0;  // of the calls, without launches
  CoreCycles cores;   // of an average one
  std::vector<OperationProfile> operations;
  ControllerReport controller;
  double stream = 0;  // cycles that the busiest channel moves
  double ddr_read = 0;
  double ddr_write = 0;
  std::uint64_t ddr_bytes = 0;
  std::size_t program_bytes = 0;  // of the calls' control programs
  double bound = 0;               // cycles, call_parts.h
};
PlanProfile profile_plan(std::span<const Design> calls, const HardwareModel& preset);

// The calls one after the other as Chrome and Perfetto read them, a track for every core, channel
// and the controller. Launches are gaps.
std::string trace_plan(std::span<const Design> calls, const HardwareModel& preset);

}  // namespace wnpu::npu
