// The tile kernels of operators that no core's program has yet, by SIMD target, as in
// kernel/tile_kernels.h.
#pragma once

#include <cstddef>

#include "npu/kernel/tile_shapes.h"

namespace wnpu::npu::kernel {

struct ConvolutionShape {
  std::size_t frames;
  std::size_t channels;  // multiple of 16
  std::size_t taps;
};

struct OperatorKernels {
  // y = gate / (1 + 2^(-gate log2 e)) * up; n is a multiple of 32.
  void (*swiglu)(std::size_t n, const bfloat16* gate, const bfloat16* up, bfloat16* y);
  // y = x / sqrt(mean of x^2 in the row + epsilon) * gamma.
  void (*rms_norm)(RowsShape, float epsilon, const bfloat16* x, const float* gamma, bfloat16* y);
  // y[t] = bias + w[0] x[t] + w[1] x[t - 1] + ..., each channel by itself, x zero before the first
  // frame; x and y are [frames, channels], w is [taps, channels].
  void (*depthwise_conv)(ConvolutionShape, const bfloat16* x, const bfloat16* w, const float* bias,
                         bfloat16* y);
};

// As array_kernels() and counting_kernels().
const OperatorKernels& operator_kernels();
const OperatorKernels& counting_operator_kernels();

// Null where this machine cannot run it.
const OperatorKernels* baseline_operator_kernels();
const OperatorKernels* avx2_operator_kernels();

}  // namespace wnpu::npu::kernel
