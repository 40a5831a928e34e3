// The table of operators' tile kernels of the SIMD target that this is compiled for; see
// kernel/target_avx2.cpp.
#pragma once

#include "npu/ops/tile/operator_kernels.h"
#include "npu/ops/tile/tile_depthwise_conv.h"
#include "npu/ops/tile/tile_rms_norm.h"
#include "npu/ops/tile/tile_swiglu.h"

namespace wnpu::npu::kernel {
inline namespace WNPU_TILE_TARGET {

constexpr OperatorKernels table_of_operators() {
  OperatorKernels t{};
  t.swiglu = [](std::size_t n, const bfloat16* gate, const bfloat16* up, bfloat16* y) {
    set_modes(Rounding::nearest_even);
    swiglu_tile(n, gate, up, y);
  };
  t.rms_norm = [](RowsShape s, float epsilon, const bfloat16* x, const float* gamma, bfloat16* y) {
    set_modes(Rounding::nearest_even);
    rms_norm_tile(s, epsilon, x, gamma, y);
  };
  t.depthwise_conv = [](ConvolutionShape s, const bfloat16* x, const bfloat16* w, const float* bias,
                        bfloat16* y) {
    set_modes(Rounding::nearest_even);
    depthwise_conv_tile(s, x, w, bias, y);
  };
  return t;
}

}  // namespace WNPU_TILE_TARGET
}  // namespace wnpu::npu::kernel
