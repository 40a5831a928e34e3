// fp32 -> int16, bytes, bf16, on the widest SIMD instructions of the machine. The pieces of
// i16_matrix.h, u8_matrix.h, u4_matrix.h and bf16_matrix.h.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace wnpu::kernels {

// The largest magnitude that signed values take: -128 would be one without its opposite.
inline constexpr float kMaxInt8 = 127;

// The factor that brings the largest |x| to `limit` (at most 32767); 0 where every x is 0, or so
// small that the factor would be no number.
float quantising_factor(std::span<const float> x, float limit);
// Scale that undoes the factor: its inverse, 0 for 0.
inline float scale_of_factor(float factor) { return factor > 0 ? 1.0F / factor : 0.0F; }

// The sum of |q|, below 2^31.
std::int32_t sum_of_magnitudes(std::span<const std::int16_t> q);

// Sums that exp_weighted returns.
struct SoftmaxSums {
  float sum = 0;           // of exp(x - max)
  float weighted_sum = 0;  // of exp(x - max) * weights
  float weighted_max = 0;
};
// x = exp(x - max) * weights. No x may be above max.
SoftmaxSums exp_weighted(std::span<float> x, float max, std::span<const float> weights);

// out = round(factor * x), |factor * x| at most 32767.
void round_scaled(std::span<const float> x, float factor, std::span<std::int16_t> out);

// out = round(factor * x), |factor * x| at most 127. Returns the sum. Infinities
// and NaN become 127 or -127.
std::int32_t round_to_bytes(std::span<const float> x, float factor, std::span<std::int8_t> out);

// out = round(factor * (x - shift)), at most 127 in magnitude.
void round_to_bytes(std::span<const float> x, float shift, float factor,
                    std::span<std::int8_t> out);
// out = (x - centre) * balance, value by value.
void balance(std::span<const float> x, std::span<const float> centre,
             std::span<const float> balance, std::span<float> out);

// Quantisation to unsigned bytes: round(factor * x) + zero. 0 stays exact: where most values are
// next to it, a shift of them all would be an error that adds up.
struct ByteScale {
  float factor;
  std::int32_t zero;
};
// Scale with which x and 0 take all of 0 to byte_limits().left; factor 0 where every x is 0, or so
// small that the factor would be no number.
ByteScale byte_scale(std::span<const float> x);
void round_to_bytes(std::span<const float> x, ByteScale scale, std::span<std::uint8_t> out);

// largest = max(largest, |x|), value by value.
void raise_to_magnitudes(std::span<const float> x, std::span<float> largest);

// Four rows of a right side become quads, four neighbours in k a column: out[4 c + i] =
// round(factors[c] * rows[i][c]), at most 127 in magnitude. sums[c] takes them in.
void round_to_quads(const std::array<std::span<const float>, 4>& rows,
                    std::span<const float> factors, std::span<std::int8_t> out,
                    std::span<std::int32_t> sums);

// out = x in bf16, rounded to the nearest, ties to even. Finite values only.
void round_to_bf16(std::span<const float> x, std::span<std::uint16_t> out);

}  // namespace wnpu::kernels
