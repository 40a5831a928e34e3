// The tile kernels for the instruction set that everything is compiled for (x86-64: SSE2), and
// which of the tables runs here.
#define WNPU_TILE_TARGET baseline
#define WNPU_TILE_BYTES 16
#include "npu/kernel/target_table.h"

namespace wnpu::npu::kernel {

const TileKernels* baseline_kernels() {
  static const TileKernels kTable = tile_kernels("baseline");
  return &kTable;
}

const TileKernels& array_kernels() {
  static const TileKernels& chosen = avx2_kernels() ? *avx2_kernels() : *baseline_kernels();
  return chosen;
}

}  // namespace wnpu::npu::kernel
