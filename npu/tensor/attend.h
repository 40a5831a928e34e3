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

// Of each row. No core has a phase for it: where a row is narrow enough it is attention, to keys
// that give each value as its own score, and to values that give each weight as a result of its
// own; else the CPU's reference. The report says which.
Tensor run_softmax(const ArrayRun& run, const Tensor& x, Report& report);

}  // namespace wnpu::npu::ops
