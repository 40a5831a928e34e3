// Helpers for tests of tensor operations: random tensors, fp64 results, and whether a result keeps
// the bound that its report promises.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "npu/ops/operand_values.h"
#include "npu/sim/sim_device.h"
#include "npu/tensor/operands.h"
#include "npu/tensor/queue.h"
#include "npu/tensor/tiles.h"
#include "tests/support/random_matrix.h"

namespace wnpu::npu::ops {

// The operand as the array sees it after rounding, converted back to float.
inline Tensor rounded(const Tensor& tensor, Side side, Type type) {
  Tensor to = tensor;
  if (type == Type::bf16) {
    for (float& value : to.values) value = as_bf16(value);
    return to;
  }
  const Quantised q =
      quantise(tensor, side, type == Type::int8 ? kInt8Levels : kInt16Levels, "rounded");
  for (std::size_t i = 0; i < to.values.size(); ++i) {
    const double scale =
        q.whole.scales[side == Side::left ? i / columns_of(to) : i % columns_of(to)];
    to.values[i] = static_cast<float>(std::ldexp(q.whole.values[i] * scale, q.whole.exponent));
  }
  return to;
}

}  // namespace wnpu::npu::ops

namespace wnpu::tests {

inline Tensor random_tensor(std::vector<std::size_t> shape, std::uint64_t seed, double scale = 1) {
  Tensor tensor = npu::ops::zeros(std::move(shape));
  tensor.values = random_vector(tensor.values.size(), seed, scale);
  return tensor;
}

// 1 to `most`, small numbers as often as large ones.
inline std::size_t random_size(Random& random, std::size_t most) {
  const double u = (random.uniform() + 1) / 2;
  return static_cast<std::size_t>(std::exp2(u * std::log2(static_cast<double>(most) + 0.99)));
}

inline std::unique_ptr<npu::Device> open_simulator(npu::InjectedFailure failure = {}) {
  npu::SimDeviceOptions options;
  options.threads = 2;
  options.failure = failure;
  return npu::open_sim_device(options);
}

// A simulator and a queue on it.
struct SimulatedQueue {
  std::unique_ptr<npu::Device> device = open_simulator();
  npu::ops::Queue queue{*device};
};

// Exact value of every element, and the magnitude of the sum that it comes from.
struct Exact {
  std::vector<double> values;
  std::vector<double> magnitudes;
};

// The largest error by what the report allows; above 1 the bound does not hold. What is NaN or
// infinite has to be so on both sides.
inline double share_of_bound(const TensorResult& result, const Exact& exact) {
  const TensorBound& bound = result.report.bound;
  double worst = 0;
  for (std::size_t i = 0; i < exact.values.size(); ++i) {
    const double found = result.value.values[i];
    const double expected = exact.values[i];
    if (std::isnan(expected) || std::isnan(found)) {
      if (std::isnan(expected) != std::isnan(found)) return INFINITY;
      continue;
    }
    if (std::abs(expected) > npu::largest_of(npu::ElementType::bfloat16) || std::isinf(found)) {
      const double most = npu::largest_of(npu::ElementType::bfloat16);
      if (expected * found <= 0 || std::abs(expected) < most * (1 - 0x1p-8)) return INFINITY;
      continue;
    }
    double error = std::abs(found - expected);
    if (bound.has_half_step) error -= npu::half_step(npu::ElementType::bfloat16, found);
    const double allowed = bound.absolute + bound.relative * exact.magnitudes[i] + 0x1p-126;
    worst = std::max(worst, error / allowed);
  }
  return worst;
}

// c = a b, magnitudes as the bound of `type` has them. By pointers, as in
// support/reference_layer.h.
inline Exact exact_product(const Tensor& a, const Tensor& b, npu::ops::Type type) {
  const std::size_t m = a.shape[0], k = a.shape[1], n = b.shape[1];
  std::vector<double> most_a(m), most_b(n);
  for (std::size_t i = 0; i < m * k; ++i) {
    most_a[i / k] = std::max<double>(most_a[i / k], std::abs(a.values[i]));
  }
  for (std::size_t i = 0; i < k * n; ++i) {
    most_b[i % n] = std::max<double>(most_b[i % n], std::abs(b.values[i]));
  }
  Exact exact{std::vector<double>(m * n), std::vector<double>(m * n)};
  const bool is_rounded = type == npu::ops::Type::int16;
  for (std::size_t i = 0; i < m * k; ++i) {
    const double left = a.values[i];
    const double most_left = most_a[i / k];
    const float* right = b.values.data() + i % k * n;
    const double* most_right = most_b.data();
    double* value = exact.values.data() + i / k * n;
    double* magnitude = exact.magnitudes.data() + i / k * n;
    for (std::size_t j = 0; j < n; ++j) {
      const double product = left * right[j];
      value[j] += product;
      magnitude[j] += is_rounded ? std::fabs(left) * most_right[j] + most_left * std::fabs(right[j])
                                 : std::fabs(product);
    }
  }
  return exact;
}

}  // namespace wnpu::tests
