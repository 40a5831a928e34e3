#include "models/quantize/balance.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>

#include "models/kernels/operands/f32_matrix.h"
#include "models/kernels/operands/u8_matrix.h"
#include "models/kernels/products/gemm.h"
#include "models/quantize/stored_values.h"

namespace wnpu::models {
namespace {

constexpr int kShares = 10;       // steps from all to the weights to all to the inputs
constexpr float kMostPowers = 8;  // a factor is 2^-8 to 2^8

// In bytes, and fp32 again.
Matrix rounded_inputs(ConstMatrixView inputs) {
  kernels::U8Rows rows(inputs.rows, inputs.cols);
  rows.set(inputs);
  Matrix values = Matrix::uninitialised(inputs.rows, inputs.cols);
  for (std::size_t r = 0; r < inputs.rows; ++r) {
    const kernels::U8Quad* const quads = rows.row(r);
    for (std::size_t c = 0; c < inputs.cols; ++c) {
      const std::uint8_t level = quads[c / 4].q[c % 4];
      values.row(r)[c] = rows.scales()[r] * static_cast<float>(level) + rows.offsets()[r];
    }
  }
  return values;
}

Matrix product(ThreadPool& pool, ConstMatrixView inputs, ConstMatrixView weights) {
  kernels::F32Matrix right(weights.cols, weights.rows);
  right.set_columns(0, weights);
  Matrix result = Matrix::uninitialised(inputs.rows, weights.rows);
  kernels::gemm(pool, {inputs, right}, result.view());
  return result;
}

std::vector<float> largest_of_columns(ConstMatrixView values) {
  std::vector<float> largest(values.cols);
  for (std::size_t r = 0; r < values.rows; ++r) {
    for (std::size_t c = 0; c < values.cols; ++c)
      largest[c] = std::max(largest[c], std::abs(values.row(r)[c]));
  }
  return largest;
}

// Inputs' sizes to the power of `share`, by weights' to the rest of it.
ChannelFactors factors_of(std::span<const float> inputs, std::span<const float> weights,
                          float share) {
  std::vector<float> powers(inputs.size());
  float sum = 0;
  float n_known = 0;
  for (std::size_t c = 0; c < inputs.size(); ++c) {
    if (!std::isnormal(inputs[c]) || !std::isnormal(weights[c])) continue;
    powers[c] = share * std::log2(inputs[c]) - (1 - share) * std::log2(weights[c]);
    sum += powers[c];
    ++n_known;
  }
  const float mean = n_known > 0 ? sum / n_known : 0;
  ChannelFactors factors(inputs.size(), 1.0F);
  for (std::size_t c = 0; c < inputs.size(); ++c) {
    if (!std::isnormal(inputs[c]) || !std::isnormal(weights[c])) continue;
    const float power = std::clamp(std::round(powers[c] - mean), -kMostPowers, kMostPowers);
    factors[c] = std::exp2(power);
  }
  return factors;
}

}  // namespace

Matrix with_divided_columns(ConstMatrixView values, const ChannelFactors& factors) {
  Matrix result = Matrix::uninitialised(values.rows, values.cols);
  for (std::size_t r = 0; r < values.rows; ++r) {
    std::ranges::transform(values.row(r), factors, result.row(r).begin(), std::divides());
  }
  return result;
}

Matrix with_multiplied_columns(ConstMatrixView values, const ChannelFactors& factors) {
  Matrix result = Matrix::uninitialised(values.rows, values.cols);
  for (std::size_t r = 0; r < values.rows; ++r) {
    std::ranges::transform(values.row(r), factors, result.row(r).begin(), std::multiplies());
  }
  return result;
}

ProductRounding rounding_of(const ProductLayer& layer, DType type) {
  return {type, type == DType::i8_rows && !layer.has_fine_inputs()};
}

ProductError::ProductError(ThreadPool& pool, ConstMatrixView inputs, ConstMatrixView weights,
                           const ProductRounding& rounding)
    : pool_(pool),
      inputs_(inputs),
      weights_(weights),
      rounding_(rounding),
      exact_(product(pool, inputs, weights)) {}

RoundingError ProductError::of(const ChannelFactors& factors) const {
  const Matrix scaled = with_multiplied_columns(weights_, factors);
  return of(factors, rounded_to_nearest(scaled.view(), rounding_.weights, "weights").view());
}

RoundingError ProductError::of(const ChannelFactors& factors,
                               ConstMatrixView rounded_weights) const {
  Matrix inputs = with_divided_columns(inputs_, factors);
  if (rounding_.inputs_in_bytes) inputs = rounded_inputs(inputs.view());
  const Matrix found = product(pool_, inputs.view(), rounded_weights);
  return rounding_error(exact_.flat(), found.flat());
}

ChannelFactors search_factors(ThreadPool& pool, ConstMatrixView inputs, ConstMatrixView weights,
                              const ProductRounding& rounding) {
  const ProductError error(pool, inputs, weights, rounding);
  const std::vector<float> input_sizes = largest_of_columns(inputs);
  const std::vector<float> weight_sizes = largest_of_columns(weights);
  ChannelFactors best(inputs.cols, 1.0F);
  double least = error.of(best).relative;
  for (int i = 0; i <= kShares; ++i) {
    const float share = static_cast<float>(i) / kShares;
    ChannelFactors factors = factors_of(input_sizes, weight_sizes, share);
    const double found = error.of(factors).relative;
    if (found >= least) continue;
    least = found;
    best = std::move(factors);
  }
  return best;
}

}  // namespace wnpu::models
