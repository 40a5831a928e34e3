// The tile kernels for the instruction set that everything is compiled for, which count what a core
// would issue.
#define WNPU_TILE_TARGET counting
#define WNPU_TILE_BYTES 16
#define WNPU_TILE_COUNTS
#include "npu/kernel/target_table.h"

namespace wnpu::npu::kernel {

const TileKernels& counting_kernels() {
  static const TileKernels kTable = tile_kernels("counting");
  return kTable;
}

OpCounts& op_counts() {
  thread_local OpCounts counts;
  return counts;
}

}  // namespace wnpu::npu::kernel
