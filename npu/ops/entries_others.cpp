// Operators that Whisper has no use for, and the core's program no phase.
#include <algorithm>
#include <cmath>
#include <limits>

#include "npu/core/core_memory.h"
#include "npu/ops/entries.h"

namespace wnpu::npu::entries {
namespace {

using Type = ElementType;

// silu(x) = x / (1 + e^-x); its limit is 0 at minus infinity.
template <typename T>
void swiglu_of(const OperatorCall& call) {
  for (std::size_t i = 0; i < call.sizes[0]; ++i) {
    const T gate = input<T>(call, 0)[i];
    const T silu = std::isinf(gate) && gate < 0 ? T{0} : gate / (1 + std::exp(-gate));
    output<T>(call)[i] = silu * input<T>(call, 1)[i];
  }
}

Operator swiglu() {
  Operator op;
  op.name = "swiglu";
  op.summary = "y = gate / (1 + e^-gate) * up";
  op.sizes = {{"elements", 32, kElementBytes / 2}};
  op.inputs = {{"gate", Type::bfloat16, 0}, {"up", Type::bfloat16, 0}};
  // e^-u: u log2 e up to 126 is rounded to float; gates below -87 count as -87, where the result is
  // 1.4e-36 of `up`.
  op.outputs = {{"y", Type::bfloat16, 0, Operand::kNoColumns, 1, 1, bound(2e-18, 2e-5)}};
  op.largest = 1e18;
  set_references(op, swiglu_of<double>, swiglu_of<float>);
  set_tile(op, [](const Tables& t, const OperatorCall& call) {
    t.other.swiglu(call.sizes[0], input<bfloat16>(call, 0), input<bfloat16>(call, 1),
                   output<bfloat16>(call));
  });
  return op;
}

// A row with an infinity becomes NaN.
template <typename T>
void rms_of(const OperatorCall& call) {
  const std::size_t rows = call.sizes[0], width = call.sizes[1];
  for (std::size_t r = 0; r < rows; ++r) {
    const T* x = input<T>(call, 0) + r * width;
    const T squares = sum_of<T>(width, [=](std::size_t i) { return x[i] * x[i]; });
    const T root = std::sqrt(squares / static_cast<T>(width) + static_cast<T>(call.attributes[0]));
    const T scale = std::isinf(squares) ? std::numeric_limits<T>::quiet_NaN() : 1 / root;
    for (std::size_t i = 0; i < width; ++i) {
      output<T>(call)[r * width + i] = x[i] * scale * input<T>(call, 1)[i];
    }
  }
}

Operator rms_norm() {
  Operator op;
  op.name = "rms_norm";
  op.summary = "y = x / sqrt(mean of x^2 in the row + epsilon) * gamma";
  op.sizes = {{"rows", 1, kMaxTileRows}, {"width", 16, kElementBytes / 2}};
  op.attributes = {{"epsilon", 1e-5, "added to the mean square"}};
  op.inputs = {{"x", Type::bfloat16, 0, 1}, {"gamma", Type::float32, 1}};
  op.outputs = {{"y", Type::bfloat16, 0, 1, 1, 1, bound(0, 2e-6)}};
  op.largest = 1e17;  // squares of 4096 elements stay finite
  set_references(op, rms_of<double>, rms_of<float>);
  set_tile(op, [](const Tables& t, const OperatorCall& call) {
    t.other.rms_norm({call.sizes[0], call.sizes[1]}, static_cast<float>(call.attributes[0]),
                     input<bfloat16>(call, 0), input<float>(call, 1), output<bfloat16>(call));
  });
  return op;
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

Operator softmax() {
  Operator op;
  op.name = "softmax";
  op.summary = "y = e^x / (sum of e^x in the row)";
  op.sizes = {{"rows", 1, kMaxTileRows}, {"width", 1, kElementBytes / 4}};
  op.inputs = {{"x", Type::float32, 0, 1}};
  // x - largest is rounded, and at most 88 where its power is a normal float.
  op.outputs = {{"y", Type::float32, 0, 1, 1, 1, [](const Sizes& s) {
                   return ErrorBound{0x1p-126, (96 + static_cast<double>(s[1]) / 16) * kStep};
                 }}};
  set_references(op, softmax_of<double>, softmax_of<float>);
  return op;
}

template <typename T>
void convolve(const OperatorCall& call) {
  const std::size_t frames = call.sizes[0], channels = call.sizes[1], taps = call.sizes[2];
  for (std::size_t i = 0; i < frames * channels; ++i) {
    T sum = input<T>(call, 2)[i % channels];
    double magnitude = std::abs(static_cast<double>(sum));
    for (std::size_t k = 0; k < std::min(taps, i / channels + 1); ++k) {
      const T term =
          input<T>(call, 0)[i - k * channels] * input<T>(call, 1)[k * channels + i % channels];
      sum += term;
      magnitude += std::abs(static_cast<double>(term));
    }
    output<T>(call)[i] = sum;
    note_magnitude(call, i, magnitude);
  }
}

Operator depthwise_conv() {
  Operator op;
  op.name = "depthwise_conv";
  op.summary = "y[t] = bias + w[0] x[t] + w[1] x[t-1] + ..., each channel by itself";
  op.sizes = {{"frames", 1, 256}, {"channels", 16, 1024}, {"taps", 1, 31}};
  op.inputs = {
      {"x", Type::bfloat16, 0, 1}, {"w", Type::bfloat16, 2, 1}, {"bias", Type::float32, 1}};
  op.outputs = {{"y", Type::bfloat16, 0, 1, 1, 1, [](const Sizes& s) {
                   return ErrorBound{0, (1 + static_cast<double>(s[2])) * kStep};
                 }}};
  op.largest = 1e18;  // sums of 31 products stay finite
  set_references(op, convolve<double>, convolve<float>);
  set_tile(op, [](const Tables& t, const OperatorCall& call) {
    t.other.depthwise_conv({call.sizes[0], call.sizes[1], call.sizes[2]}, input<bfloat16>(call, 0),
                           input<bfloat16>(call, 1), input<float>(call, 2), output<bfloat16>(call));
  });
  return op;
}

}  // namespace

std::vector<Operator> other_operators() {
  return {swiglu(), rms_norm(), softmax(), depthwise_conv()};
}

}  // namespace wnpu::npu::entries
