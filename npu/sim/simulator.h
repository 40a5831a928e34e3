// Runs a call on a simulated array: results by calling the tile kernels on the bytes that the DMA
// channels bring, and time by a discrete-event model of the same channels, locks and cores.
// Simulated and modelled throughout: nothing here has seen an array.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "npu/control/control_program.h"
#include "npu/control/controller_costs.h"
#include "npu/design/design.h"
#include "npu/sim/worker_pool.h"

namespace wnpu::npu {

struct Operator;   // npu/ops/operator.h
class OrderCheck;  // npu/sim/order/order_check.h

// A call that cannot run to its end. what() names the tiles that wait and what they wait for, or
// what silicon would not have done as it was meant.
struct SimulationError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A call as the array is given it: what is configured once, the control program's bytes and the
// sizes of the arguments. No more of the Design than that.
struct EncodedCall {
  Overlay overlay;
  std::vector<std::byte> program;
  std::vector<std::size_t> argument_bytes;
  // For messages and traces alone.
  std::string name;
  std::vector<std::string> phases;
};
EncodedCall encoded_call(const Design& design, const ControlProgram& program);

// Memory of a call. Without arguments there is none, and the run gives its time only.
struct CallMemory {
  std::span<const std::span<std::byte>> arguments;  // of at least EncodedCall::argument_bytes
  WorkerPool* pool = nullptr;                       // for the kernels
};

// Cycles that a core spent; together they are the length of the call.
struct CoreCycles {
  double busy = 0;
  double waiting_a = 0;  // activations have not come
  double waiting_b = 0;  // weights, keys or values have not come
  double waiting_c = 0;  // the last result has not left
  double waiting_header = 0;
  double finished = 0;  // has nothing more to do
};

// Controller's activity during a control program.
struct ControllerReport {
  std::size_t operations = 0;
  double busy = 0;      // cycles
  double waiting = 0;   // cycles, for tasks to end
  double finished = 0;  // when it was done with the last operation
};

// Words that passed a channel at once.
struct Move {
  double start = 0;  // cycles
  double end = 0;
  std::size_t link = 0;
  std::uint64_t bytes = 0;
};

// An interval of a tile's work, for the trace.
struct Span {
  std::size_t track = 0;  // into SimReport::tracks
  std::string_view name;  // of the phase or link; lives as long as the Design or EncodedCall
  double start = 0;       // cycles
  double end = 0;
};

struct SimReport {
  double cycles = 0;
  double ms = 0;                             // modelled, launch not included
  std::vector<CoreCycles> cores;             // [row * columns + column]
  std::vector<CoreCycles> phases;            // busy and waiting cycles of all cores in each phase
  std::vector<std::uint64_t> channel_bytes;  // as Overlay::channels
  std::uint64_t ddr_read_bytes = 0;
  std::uint64_t ddr_write_bytes = 0;
  std::vector<double> phase_start;       // cycles; first core to begin each phase
  ControllerReport controller;           // only with a control program
  std::vector<std::vector<Move>> moves;  // [channel], only if recorded
  std::vector<std::string> tracks;       // only if traced
  std::vector<Span> spans;               // only if traced

  double utilisation() const;  // busy share of all cores' cycles
};

struct SimOptions {
  const HardwareModel* preset = nullptr;
  bool is_traced = false;
  std::function<bool()> should_stop = {};  // asked at every event
  const ControllerCosts* costs = &phoenix_controller();
  bool records_moves = false;
  const Operator* gelu = nullptr;  // whose tile kernel stands in for GELU's; null: none
  OrderCheck* order = nullptr;     // of a control program's run; null: not looked at
};

// Time of a Design's transfers if its controller took none (transfer_work.h). Throws
// SimulationError when it stops before its end (a deadlock), Stopped when should_stop said so.
SimReport simulate(const Design& design, const SimOptions& options);
// Simulation of a control program's bytes (descriptor_work.h). Also throws ControlError for bytes
// that are no program.
SimReport simulate(const EncodedCall& call, const SimOptions& options, const CallMemory& memory);

// The report's spans by track and time; neighbours of one name that touch are one: what a person
// can read.
std::vector<Span> merged_spans(const SimReport& report);

// The report's spans as Chrome/Perfetto trace JSON (times in microseconds), one track a line.
std::string trace_json(const SimReport& report, const HardwareModel& preset);

}  // namespace wnpu::npu
