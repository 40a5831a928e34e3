// Operators on whole rows: LayerNorm, quantisation, attention, softmax.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "npu/core/core_memory.h"
#include "npu/ops/entries.h"

namespace wnpu::npu::entries {
namespace {

using Type = ElementType;
using Kernels = kernel::TileKernels;

kernel::RowsShape rows_shape(const OperatorCall& call) { return {call.sizes[0], call.sizes[1]}; }

template <typename T>
void normalise(const OperatorCall& call) {
  const std::size_t rows = call.sizes[0], width = call.sizes[1];
  const T epsilon = static_cast<T>(call.attributes[0]);
  for (std::size_t r = 0; r < rows; ++r) {
    const T* x = input<T>(call, 0) + r * width;
    const T mean = sum_of<T>(width, [=](std::size_t i) { return x[i]; }) / static_cast<T>(width);
    const T squares =
        sum_of<T>(width, [=](std::size_t i) { return (x[i] - mean) * (x[i] - mean); });
    const T scale = 1 / std::sqrt(squares / static_cast<T>(width) + epsilon);
    double largest = 0;
    for (std::size_t i = 0; i < width; ++i) {
      largest = std::max(largest, std::abs(static_cast<double>(x[i])));
    }
    for (std::size_t i = 0; i < width; ++i) {
      output<T>(call)[r * width + i] = (x[i] - mean) * scale;
      note_magnitude(call, r * width + i, largest * static_cast<double>(scale));
    }
  }
}

Operator layer_norm() {
  return with_tile({.name = "layer_norm",
                    .summary = "y = (x - mean) / sqrt(variance + epsilon), a row at a time",
                    .sizes = {{"rows", 1, kMaxTileRows}, {"width", 16, kElementBytes / 2}},
                    .attributes = {{"epsilon", 1e-5, "added to the variance; fixed in the kernel"}},
                    .inputs = {{"x", Type::bfloat16, 0, 1}},
                    .outputs = {{"y", Type::bfloat16, 0, 1, 1, 1, bound(2e-6, 2e-6)}},
                    .largest = 1e17,  // squares of 4096 deviations stay finite
                    .exact = normalise<double>,
                    .reference = normalise<float>,
                    .kernel = Kernel::layer_norm,
                    .tasks = {Task::norm_rows}},
                   [](const Kernels& t, const OperatorCall& call) {
                     t.layer_norm_bf16(rows_shape(call), input<bfloat16>(call, 0),
                                       output<bfloat16>(call), kRounding);
                   });
}

// q is not rounded here: the kernel's may be half a step away.
template <typename T>
void quantise_of(const OperatorCall& call) {
  const std::size_t rows = call.sizes[0], width = call.sizes[1];
  for (std::size_t r = 0; r < rows; ++r) {
    const T* x = input<T>(call, 0) + r * width;
    T largest = 0;
    for (std::size_t i = 0; i < width; ++i) largest = std::max(largest, std::abs(x[i]));
    output<T>(call, 1)[r] = largest / 127;
    for (std::size_t i = 0; i < width; ++i) {
      output<T>(call)[r * width + i] = largest == 0 ? T{0} : x[i] / largest * 127;
    }
  }
}

Operator quantise() {
  return with_tile(
      {.name = "quantise",
       .summary = "q = x / scale to the nearest int8, scale = max |x| / 127 of the row",
       .sizes = {{"rows", 1, kMaxTileRows}, {"width", 16, kElementBytes / 2}},
       .inputs = {{"x", Type::bfloat16, 0, 1}},
       .outputs = {{"q", Type::int8, 0, 1, 1, 1, bound(1e-4, 0)},
                   {"scale", Type::float32, 0, Operand::kNoColumns, 1, 1, bound(0, 1e-6)}},
       .largest = 0x1p124,  // beyond, a step on the way to one over it is no normal float
       .keeps_nan = false,
       .exact = quantise_of<double>,
       .reference = quantise_of<float>,
       .kernel = Kernel::layer_norm,
       .tasks = {Task::norm_quantise, Task::store_row_scales}},
      [](const Kernels& t, const OperatorCall& call) {
        t.quantise(rows_shape(call), input<bfloat16>(call, 0), output<std::int8_t>(call),
                   output<float>(call, 1));
      });
}

// The weights of all keys for one query, whose sum is 1.
template <typename T>
std::vector<T> weights_of(const OperatorCall& call, std::size_t query) {
  const std::size_t keys = call.sizes[1], head = call.sizes[2];
  const T* const q = input<T>(call, 0) + query * head;
  std::vector<T> weights(keys);
  T largest = -std::numeric_limits<T>::infinity();
  for (std::size_t j = 0; j < keys; ++j) {
    const T* const k = input<T>(call, 1) + j * head;
    weights[j] = std::inner_product(k, k + head, q, T{0});
    largest = std::max(largest, weights[j]);
  }
  T sum = 0;
  for (T& weight : weights) sum += weight = std::exp2(weight - largest);
  for (T& weight : weights) weight /= sum;
  return weights;
}

template <typename T>
void attend_to(const OperatorCall& call) {
  const std::size_t queries = call.sizes[0], keys = call.sizes[1], head = call.sizes[2];
  std::vector<T> weights;
  for (std::size_t at = 0; at < queries * head; ++at) {
    if (at % head == 0) weights = weights_of<T>(call, at / head);
    T weighted = 0;
    double magnitude = 0;
    for (std::size_t j = 0; j < keys; ++j) {
      const T term = weights[j] * input<T>(call, 2)[j * head + at % head];
      weighted += term;
      magnitude += std::abs(static_cast<double>(term));
    }
    output<T>(call)[at] = weighted;
    note_magnitude(call, at, magnitude);
  }
}

// The state of a core's attention, in its accumulators (core_memory.h).
struct Carried {
  alignas(64) std::array<float, kStatisticsBytes / sizeof(float)> reference, sum;
  alignas(64) std::array<float, kMaxQueries * kMaxTileRows> accumulators;
  alignas(64) std::array<bfloat16, kernel::kStripRows * kernel::kMaxKeys> weights;
};

Operator attention() {
  return with_tile(
      {.name = "attention",
       .summary = "y = softmax(q k^T) v of one block of keys, in powers of two",
       .sizes = {{"queries", 8, kMaxQueries},
                 {"keys", 16, kernel::kMaxKeys},
                 {"head", 8, kMaxTileRows}},
       .inputs = {{"q", Type::bfloat16, 0, 2, 4, 8},
                  {"k", Type::bfloat16, 1, 2, 4, 8},
                  {"v", Type::bfloat16, 1, 2, 8, 4}},
       // Weights are off by 4.7e-3 (kernel/README.md), in numerator and denominator.
       .outputs = {{"y", Type::bfloat16, 0, 2, 4, 4, bound(0, 1e-2)}},
       .largest = 2,  // scores to 256, whose sums in float are exact enough for 1/512 of a power
       .exact = attend_to<double>,
       .reference = attend_to<float>,
       .kernel = Kernel::attention,
       .tasks = {Task::load_queries, Task::attend, Task::finish_attention}},
      [](const Kernels& t, const OperatorCall& call) {
        const kernel::AttentionShape shape{call.sizes[0], call.sizes[1], call.sizes[2]};
        Carried state;
        const kernel::AttentionSums sums{state.reference.data(), state.sum.data(),
                                         state.accumulators.data(), state.weights.data()};
        t.attention_start(shape, sums);
        t.attention_step(shape,
                         {input<bfloat16>(call, 0), input<bfloat16>(call, 1),
                          input<bfloat16>(call, 2), shape.keys},
                         sums, kRounding);
        t.attention_finish(shape, sums, output<bfloat16>(call), kRounding);
      });
}

// A row with a NaN becomes NaN.
template <typename T>
void softmax_of(const OperatorCall& call) {
  const std::size_t rows = call.sizes[0], width = call.sizes[1];
  for (std::size_t r = 0; r < rows; ++r) {
    const T* x = input<T>(call, 0) + r * width;
    T* y = output<T>(call) + r * width;
    const T largest = *std::max_element(x, x + width);
    for (std::size_t i = 0; i < width; ++i) y[i] = std::exp(x[i] - largest);
    const T sum = sum_of<T>(width, [=](std::size_t i) { return y[i]; });
    for (std::size_t i = 0; i < width; ++i) y[i] /= sum;
  }
}

// No core has a kernel for it: npu/tensor makes it of attention, or runs the reference.
Operator softmax() {
  return {.name = "softmax",
          .summary = "y = e^x / (sum of e^x in the row)",
          .sizes = {{"rows", 1, kMaxTileRows}, {"width", 1, kElementBytes / 4}},
          .inputs = {{"x", Type::float32, 0, 1}},
          // x - largest is rounded, and at most 88 where its power is a normal float.
          .outputs = {{"y", Type::float32, 0, 1, 1, 1,
                       [](const Sizes& s) {
                         return ErrorBound{0x1p-126, (96 + static_cast<double>(s[1]) / 16) * kStep};
                       }}},
          .exact = softmax_of<double>,
          .reference = softmax_of<float>};
}

}  // namespace

std::vector<Operator> row_operators() { return {layer_norm(), quantise(), attention(), softmax()}; }

}  // namespace wnpu::npu::entries
