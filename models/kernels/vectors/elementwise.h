// Elementwise kernels. They are compiled once for each SIMD target (x86-64 and ARM64); the best one
// that the machine has runs. models/kernels/vectors/ops.h has them for the folders above.
#pragma once

#include <span>

namespace wnpu::kernels::elementwise {

// x = x * Phi(x).
void gelu(std::span<float> x);
// x = exp(x - max); returns the sum of the results.
float exp_minus(std::span<float> x, float max);
// The sum alone: x stays as it is.
float sum_exp_minus(std::span<const float> x, float max);
// -infinity for an empty x.
float max(std::span<const float> x);
// x *= factor.
void scale(std::span<float> x, float factor);
// y += a x; both of one length.
void axpy(float a, std::span<const float> x, std::span<float> y);
// y[i] = the middle one of x[i] .. x[i + 6], which are no NaN; x is longer than y by 6.
void median_of_7(std::span<const float> x, std::span<float> y);
// y = (x - mean) / sqrt(variance + epsilon) * gamma + beta; all of one length.
struct NormRow {
  std::span<const float> x;
  std::span<const float> gamma;
  std::span<const float> beta;
  float epsilon;
};
void layer_norm_row(const NormRow& row, std::span<float> y);

}  // namespace wnpu::kernels::elementwise
