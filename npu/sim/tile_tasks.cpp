#include "npu/sim/tile_tasks.h"

#include <vector>

#include "npu/ops/operand_values.h"

namespace wnpu::npu {
namespace {

struct HostKernels {
  static const kernel::TileKernels& table() { return kernel::array_kernels(); }
};

// The operator that stands in for GELU in the task of this thread: a table of kernels holds plain
// functions.
thread_local const Operator* stand_in = nullptr;

void bias_gelu_of_stand_in(kernel::TileShape shape, const float* c, const float* bias, bfloat16* y,
                           Rounding /*rounding*/) {
  const std::vector<double> attributes = stand_in->attribute_values();
  stand_in->tile(CallArrays({c, bias}, {y}).call({shape.m, shape.n}, attributes));
}

struct StandInKernels {
  static const kernel::TileKernels& table() {
    static const kernel::TileKernels kTable = [] {
      kernel::TileKernels table = kernel::array_kernels();
      table.bias_gelu = bias_gelu_of_stand_in;
      return table;
    }();
    return kTable;
  }
};

}  // namespace

void run_task(const PhaseHeader& phase, const Step& step, std::span<std::byte> memory, Slots slots,
              const Operator* gelu) {
  const kernel::ArrayFloatMode mode;
  if (gelu == nullptr) {
    CoreTasks<HostKernels>(memory.data()).run(phase, step.task, step.index, slots);
    return;
  }
  stand_in = gelu;
  CoreTasks<StandInKernels>(memory.data()).run(phase, step.task, step.index, slots);
}

}  // namespace wnpu::npu
