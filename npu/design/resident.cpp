#include "npu/design/resident.h"

#include <utility>

#include "npu/core/phase_walk.h"
#include "npu/design/core_kernels.h"

namespace wnpu::npu {
namespace {

class Recorder {
 public:
  void take(Port port, std::uint32_t bytes) {
    steps_.push_back({Step::Kind::take, port, Task::multiply, 0, bytes});
  }
  void release(Port port, std::uint32_t bytes) {
    steps_.push_back({Step::Kind::release, port, Task::multiply, 0, bytes});
  }
  void run(Task task, std::uint32_t index) {
    steps_.push_back({Step::Kind::compute, Port::a, task, index, 0});
  }
  std::vector<Step> take_all() { return std::move(steps_); }

 private:
  std::vector<Step> steps_;
};

}  // namespace

std::vector<Step> phase_steps(const PhaseHeader& phase, const CallHeader& call) {
  Recorder recorder;
  PhaseWalk<Recorder>(recorder, phase, call).run();
  return recorder.take_all();
}

// By core_kernels(); what is not bounded there is by the ports' elements.
std::string phase_fault(const PhaseHeader& p) {
  const auto kernel = static_cast<std::size_t>(p.kernel);
  if (kernel >= core_kernels().size()) {
    return "kernel: expected one of " + std::to_string(core_kernels().size());
  }
  for (const SizeLimit& size : core_kernels()[kernel].sizes) {
    const std::size_t value = size.value(p);
    if (value > 0 && value % size.multiple == 0 && value <= size.most) continue;
    return std::string(size.name) + ": expected a multiple of " + std::to_string(size.multiple) +
           ", at most " + std::to_string(size.most) + ", found " + std::to_string(value);
  }
  return "";
}

double task_cycles(const PhaseHeader& p, Task task, const KernelTable& kernels) {
  return core_tasks()[static_cast<std::size_t>(task)].cycles(p, kernels) +
         kernels.call_cycles.value;
}

CoreLayout core_layout() {
  CoreLayout layout;
  layout.buffers = {{"A", kPortA, kElementBytes, 2},
                    {"B", kPortB, kElementBytes, 2},
                    {"C", kPortC, kElementBytes, 1},
                    {"headers", kHeaders, kHeadersBytes, 1},
                    {"accumulators", kAccumulators, kAccumulatorBytes, 1},
                    {"parameters", kParameters, kParameterBytes, 1},
                    {"row scales", kRowScales, kMaxTileRows * sizeof(float), 1}};
  for (const Port port : {Port::a, Port::b, Port::c}) {
    layout.locks[static_cast<std::size_t>(port)] = {free_lock(port), full_lock(port)};
  }
  layout.header_lock = kHeaderLock;
  layout.stack_offset = kStack;
  layout.stack_bytes = kStackBytes;
  layout.table_bytes = 0;  // no kernel has a table: constants are broadcast
  // drakosha/whisper-xdna: about 10 KB of 16 KB for GEMM, LayerNorm, attention and GELU together.
  layout.program_bytes = 10 * 1024 + 2048;  // [A] 2 KB more for int8 and the phase loop
  return layout;
}

}  // namespace wnpu::npu
