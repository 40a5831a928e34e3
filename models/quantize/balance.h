// How a channel's size is shared between a product's input and its weights: SmoothQuant (Xiao et
// al., 2022), with factors that are powers of two, so that nothing is rounded by them.
#pragma once

#include <vector>

#include "models/base/tensor.h"
#include "models/base/thread_pool.h"
#include "models/files/tensor_view.h"
#include "models/quantize/product_layers.h"
#include "models/quantize/quantize.h"

namespace wnpu::models {

// Channel by channel, what inputs are divided and weights are multiplied by.
using ChannelFactors = std::vector<float>;

Matrix with_divided_columns(ConstMatrixView values, const ChannelFactors& factors);
Matrix with_multiplied_columns(ConstMatrixView values, const ChannelFactors& factors);

// How both sides of a product are rounded.
struct ProductRounding {
  DType weights = DType::i8_rows;
  bool inputs_in_bytes = false;  // a row with its own scale and zero; else they are exact
};
// As a run of the type that weights are stored in multiplies.
ProductRounding rounding_of(const ProductLayer& layer, DType type);

// A product of inputs [m, k] and weights [n, k].
class ProductError {
 public:
  // Both must outlive it.
  ProductError(ThreadPool& pool, ConstMatrixView inputs, ConstMatrixView weights,
               const ProductRounding& rounding);

  // With these factors, and weights rounded to the nearest.
  RoundingError of(const ChannelFactors& factors) const;
  // Error with weights that are rounded already.
  RoundingError of(const ChannelFactors& factors, ConstMatrixView rounded_weights) const;

 private:
  ThreadPool& pool_;
  ConstMatrixView inputs_;
  ConstMatrixView weights_;
  ProductRounding rounding_;
  Matrix exact_;  // [m, n]
};

// Factors with the smallest error among the shares that are tried, all ones among them.
ChannelFactors search_factors(ThreadPool& pool, ConstMatrixView inputs, ConstMatrixView weights,
                              const ProductRounding& rounding);

}  // namespace wnpu::models
