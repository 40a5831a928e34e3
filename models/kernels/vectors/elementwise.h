// Elementwise kernels, compiled once for each SIMD target of x86-64 and chosen at run time.
#pragma once

#include <span>

namespace wnpu::kernels::elementwise {

void gelu(std::span<float> x);
// x = exp(x - max); returns the sum of the results.
float exp_minus(std::span<float> x, float max);
// The sum alone: x stays as it is.
float sum_exp_minus(std::span<const float> x, float max);
float max(std::span<const float> x);
void scale(std::span<float> x, float factor);
void axpy(float a, std::span<const float> x, std::span<float> y);
// y = (x - mean) / sqrt(variance + epsilon) * gamma + beta; all of one length.
struct NormRow {
  std::span<const float> x;
  std::span<const float> gamma;
  std::span<const float> beta;
  float epsilon;
};
void layer_norm_row(const NormRow& row, std::span<float> y);

}  // namespace wnpu::kernels::elementwise
