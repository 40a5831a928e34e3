// How a channel's size is shared between a product's input and its weights: SmoothQuant (Xiao et
// al., 2022), with factors that are powers of two, so that nothing is rounded by them.
#pragma once

#include <vector>

#include "models/base/tensor.h"
#include "models/base/thread_pool.h"
#include "models/files/tensor_view.h"
#include "models/quantize/quantize.h"

namespace wnpu::models {

// Channel by channel, what inputs are divided and weights are multiplied by.
using ChannelFactors = std::vector<float>;

Matrix with_divided_columns(ConstMatrixView values, const ChannelFactors& factors);
Matrix with_multiplied_columns(ConstMatrixView values, const ChannelFactors& factors);

// A product of inputs [m, k] and weights [n, k], both rounded as `type` is multiplied: int8: both
// in 8 bits, an input row with its own scale and zero; others: the weights alone.
class ProductError {
 public:
  // Both must outlive it.
  ProductError(ThreadPool& pool, ConstMatrixView inputs, ConstMatrixView weights, DType type);

  // With these factors, and weights rounded to the nearest.
  RoundingError of(const ChannelFactors& factors) const;
  // The same with weights that are rounded already.
  RoundingError of(const ChannelFactors& factors, ConstMatrixView rounded_weights) const;

 private:
  ThreadPool& pool_;
  ConstMatrixView inputs_;
  ConstMatrixView weights_;
  DType type_;
  Matrix exact_;  // [m, n]
};

// Those with the smallest error among the shares that are tried, all ones among them.
ChannelFactors search_factors(ThreadPool& pool, ConstMatrixView inputs, ConstMatrixView weights,
                              DType type);

}  // namespace wnpu::models
