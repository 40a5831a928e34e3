// Weights -> the kernels' operands: panels in whatever numbers.
#pragma once

#include <initializer_list>
#include <span>

#include "models/base/thread_pool.h"
#include "models/kernels/products/linear.h"
#include "models/weights/weights.h"

namespace wnpu::models {

// A weight matrix [n, k] for y = x W^T, block by block: no fp32 copy of the whole is made, and a
// file's pages are given back once they are read. In any numbers but u4. Where f16 is wanted, but
// not every value is one: f32. Throws ModelError for a NaN or infinity, whose tensor it names.
kernels::PackedB pack_weights(ThreadPool& pool, const WeightTensor& weight,
                              kernels::DataType number);
// In memory, its rows one behind the other.
kernels::PackedB pack_weights(ThreadPool& pool, ConstMatrixView weight, kernels::DataType number);

// A layer, times `scale`. A view.
struct ScaledLinear {
  ScaledLinear(const LinearOf<WeightTensor>& linear, float factor = 1.0F)  // NOLINT: converts
      : weight(linear.weight), bias(linear.bias), scale(factor) {}
  ScaledLinear(const LinearWeights& linear, float factor = 1.0F)  // NOLINT: converts
      : weight(tensor_of(linear.weight.view())), bias(linear.bias), scale(factor) {}

  WeightTensor weight;
  std::span<const float> bias;
  float scale;
};
// Several of the same input side by side, one product instead of many. A tensor with
// WeightTensor::stays_finer is packed as i16 where `number` has 8 bits. Other weights that get 8
// bits are rotated first, but for those of an int8 file, whose levels they keep.
kernels::Linear pack_linear(ThreadPool& pool, kernels::DataType number,
                            std::initializer_list<ScaledLinear> parts);

// y = finish(x W^T + b). x: [n, in], y: [n, out]. W is packed in each call: for weights that are
// not worth a second place in memory, and many rows.
void linear(ThreadPool& pool, ConstMatrixView x, const LinearWeights& w, MatrixView y,
            kernels::Finish finish = kernels::Finish::replace);

}  // namespace wnpu::models
