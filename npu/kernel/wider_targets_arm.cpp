// NEON is what everything is compiled for: no target is wider than the baseline's.
#include "npu/kernel/tile_kernels.h"

namespace wnpu::npu::kernel {

const TileKernels* avx2_kernels() { return nullptr; }

}  // namespace wnpu::npu::kernel
