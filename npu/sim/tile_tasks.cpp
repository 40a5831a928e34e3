#include "npu/sim/tile_tasks.h"

namespace wnpu::npu {
namespace {

struct HostKernels {
  static const kernel::TileKernels& table() { return kernel::array_kernels(); }
};

}  // namespace

void run_task(const PhaseHeader& phase, const Step& step, std::span<std::byte> memory,
              Slots slots) {
  const kernel::ArrayFloatMode mode;
  CoreTasks<HostKernels>(memory.data()).run(phase, step.task, step.index, slots);
}

}  // namespace wnpu::npu
