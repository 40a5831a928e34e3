// Operators that are built in, and what their entries are written with.
#pragma once

#include <vector>

#include "npu/kernel/tile_kernels.h"
#include "npu/ops/operator.h"

namespace wnpu::npu::entries {

std::vector<Operator> product_operators();  // and what follows a product
std::vector<Operator> row_operators();      // LayerNorm, quantisation, attention, softmax

constexpr auto kRounding = Rounding::nearest_even;  // of the array's cores
constexpr double kStep = 0x1p-24;                   // half a step of float, relative

// `op` with `run` as its tile kernel, and the instructions that `run` issues as its cost.
Operator with_tile(Operator op, void (*run)(const kernel::TileKernels&, const OperatorCall&));

template <typename T>
const T* input(const OperatorCall& call, std::size_t i) {
  return static_cast<const T*>(call.inputs[i]);
}
template <typename T>
T* output(const OperatorCall& call, std::size_t i = 0) {
  return static_cast<T*>(call.outputs[i]);
}
// Notes the magnitude of the terms that a result's element sums, if the caller wants it.
inline void note_magnitude(const OperatorCall& call, std::size_t at, double magnitude) {
  if (call.magnitudes != nullptr) call.magnitudes[0][at] = magnitude;
}

// Sum of term(0) .. term(n - 1), in sixteen parts, so that the error of a long sum in float stays
// small.
template <typename T, typename Term>
T sum_of(std::size_t n, Term term) {
  constexpr std::size_t kParts = 16;
  T parts[kParts] = {};
  for (std::size_t i = 0; i < n; ++i) parts[i % kParts] += term(i);
  for (std::size_t half = kParts / 2; half > 0; half /= 2) {
    for (std::size_t i = 0; i < half; ++i) parts[i] += parts[i + half];
  }
  return parts[0];
}

inline std::function<ErrorBound(const Sizes&)> bound(double absolute, double relative) {
  return [=](const Sizes&) { return ErrorBound{absolute, relative}; };
}

}  // namespace wnpu::npu::entries
