// Attention on the array, and softmax made of it.
#pragma once

#include "npu/tensor/array_calls.h"
#include "npu/tensor/tensor.h"

namespace wnpu::npu::ops {

struct AttentionInputs {
  const Tensor& q;     // [heads, queries, width] or [queries, width]
  const Tensor& k;     // [heads, keys, width] or [keys, width]
  const Tensor& v;     // as k
  double scale = 1.0;  // of the scores
};

// softmax(scale q k^T) v. Heads wider than a core's buffers, or more keys than a phase counts, run
// by the CPU's reference, and the report says so.
Tensor run_attention(const ArrayRun& run, const AttentionInputs& inputs, Report& report);

// Softmax of each row. No core has a phase for it: narrow rows run as attention, with keys that
// make each value its own score and values that make each weight a result of its own; wide ones run
// the CPU's reference. The report says which.
Tensor run_softmax(const ArrayRun& run, const Tensor& x, Report& report);

}  // namespace wnpu::npu::ops
