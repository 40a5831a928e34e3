#include <xmmintrin.h>

#include "npu/kernel/tile_kernels.h"

namespace wnpu::npu::kernel {

// MXCSR bits 15 flush-to-zero and 6 denormals-are-zero: Intel SDM volume 1, 10.2.3.
ArrayFloatMode::ArrayFloatMode() : saved_(_mm_getcsr()) { _mm_setcsr(0x9fc0); }
ArrayFloatMode::~ArrayFloatMode() { _mm_setcsr(static_cast<unsigned>(saved_)); }

}  // namespace wnpu::npu::kernel
