// The tile kernels for the instruction set that everything is compiled for (x86-64: SSE2).
#define WNPU_TILE_TARGET baseline
#define WNPU_TILE_BYTES 16
#include "npu/kernel/target_table.h"

namespace wnpu::npu::kernel {

const TileKernels* baseline_kernels() {
  static const TileKernels kTable = tile_kernels("baseline");
  return &kTable;
}

}  // namespace wnpu::npu::kernel
