// Operations on the array, of any size. Operands' sizes have been looked at (queue.cpp). Each fills
// all of the report that it knows, and throws DeviceError.
#pragma once

#include <string>
#include <vector>

#include "npu/ops/operator.h"
#include "npu/tensor/array_calls.h"
#include "npu/tensor/tensor.h"

namespace wnpu::npu::ops {

// [m, k] x [k, n] -> [m, n]. Throws TensorError for values that `type` cannot take.
Tensor run_product(const ArrayRun& run, const Tensor& a, const Tensor& b, Type type,
                   TensorReport& report);

// Each row to mean 0 and variance 1 (epsilon 1e-5). Cores take rows of a multiple of 16; a row of
// another width is given to them several times over, which changes neither mean nor variance. What
// is too wide runs by the CPU's reference, and the report says so.
Tensor run_layer_norm(const ArrayRun& run, const Tensor& x, TensorReport& report);

// x/2 (1 + erf(x / sqrt 2)) of each value.
Tensor run_gelu(const ArrayRun& run, const Tensor& x, TensorReport& report);

struct AttentionInputs {
  const Tensor& q;     // [heads, queries, width] or [queries, width]
  const Tensor& k;     // [heads, keys, width] or [keys, width]
  const Tensor& v;     // as k
  double scale = 1.0;  // of the scores
};

// softmax(scale q k^T) v. Heads wider than a core's buffers, or more keys than a phase counts, run
// by the CPU's reference, and the report says so.
Tensor run_attention(const ArrayRun& run, const AttentionInputs& inputs, TensorReport& report);

// Softmax of each row. No core has a phase for it: narrow rows run as attention, with keys that
// make each value its own score and values that make each weight a result of its own; wide ones run
// the CPU's reference. The report says which.
Tensor run_softmax(const ArrayRun& run, const Tensor& x, TensorReport& report);

// CPU fallback for what no core has a phase for: the reference of a built-in operator, on whole
// tensors. Fills values of `to` by the operator's first result; says in the report that the CPU did
// it and how exact it is.
void run_reference(const std::string& name, const Sizes& sizes,
                   const std::vector<const float*>& inputs, Tensor& to, TensorReport& report);

// The error bound of a built-in operator's first result.
ErrorBound registered_bound(const std::string& name, const Sizes& sizes);

}  // namespace wnpu::npu::ops
