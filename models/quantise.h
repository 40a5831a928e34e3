// fp32 -> int16, on the widest SIMD instructions of the machine. The pieces of quantised.h.
#pragma once

#include <cstdint>
#include <span>

namespace wnpu::models {

// The factor that brings the largest |x| to `limit` (at most 32767); 0 where every x is 0, or so
// small that the factor would be no number.
float quantising_factor(std::span<const float> x, float limit);

// The sum of |q|, below 2^31.
std::int32_t sum_of_magnitudes(std::span<const std::int16_t> q);

// What exp_weighted found.
struct SoftmaxSums {
  float sum = 0;           // of exp(x - max)
  float weighted_sum = 0;  // of exp(x - max) * weights
  float weighted_max = 0;
};
// x = exp(x - max) * weights. No x may be above max.
SoftmaxSums exp_weighted(std::span<float> x, float max, std::span<const float> weights);

// out = round(factor * x), |factor * x| at most 32767.
void round_scaled(std::span<const float> x, float factor, std::span<std::int16_t> out);

}  // namespace wnpu::models
