// LayerNorm and GELU on the array, of any size.
#pragma once

#include "npu/tensor/array_calls.h"
#include "npu/tensor/tensor.h"

namespace wnpu::npu::ops {

// Each row to mean 0 and variance 1 (epsilon 1e-5). Cores take rows of a multiple of 16; a row of
// another width is given to them several times over, which changes neither mean nor variance. What
// is too wide runs by the CPU's reference, and the report says so.
Tensor run_layer_norm(const ArrayRun& run, const Tensor& x, Report& report);

// x/2 (1 + erf(x / sqrt 2)) of each value.
Tensor run_gelu(const ArrayRun& run, const Tensor& x, Report& report);

}  // namespace wnpu::npu::ops
