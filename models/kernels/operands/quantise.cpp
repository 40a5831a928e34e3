#include "models/kernels/operands/quantise.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

#include "models/kernels/vectors/instruction_set.h"

// Highway compiles this file once a target, through foreach_target.h, which must come first.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "models/kernels/operands/quantise.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "models/kernels/vectors/simd_math-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace wnpu::kernels::HWY_NAMESPACE {

constexpr std::size_t kRestLanes = HWY_MAX_BYTES / sizeof(float);

float largest_magnitude(std::span<const float> x) {
  const Float d;
  FloatVec largest = hn::Zero(d);
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= x.size(); i += hn::Lanes(d))
    largest = hn::Max(largest, hn::Abs(hn::LoadU(d, x.data() + i)));
  float result = hn::GetLane(hn::MaxOfLanes(d, largest));
  for (; i < x.size(); ++i) result = std::max(result, std::abs(x[i]));
  return result;
}

HWY_INLINE void round_vector(FloatVec x, FloatVec factor, std::int16_t* out) {
  const hn::Rebind<std::int16_t, Float> d16;
  hn::StoreU(hn::DemoteTo(d16, hn::NearestInt(hn::Mul(x, factor))), d16, out);
}

// Fewer numbers than a vector has. Apart from the whole vectors: arrays cost a check of the stack.
HWY_NOINLINE void round_rest(std::span<const float> x, float factor, std::int16_t* out) {
  const Float d;
  HWY_ALIGN float rest[kRestLanes] = {};
  HWY_ALIGN std::int16_t rounded[kRestLanes];
  std::copy(x.begin(), x.end(), rest);
  round_vector(hn::Load(d, rest), hn::Set(d, factor), rounded);
  std::copy_n(rounded, x.size(), out);
}

void round_scaled(std::span<const float> x, float factor, std::int16_t* out) {
  const Float d;
  const FloatVec f = hn::Set(d, factor);
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= x.size(); i += hn::Lanes(d))
    round_vector(hn::LoadU(d, x.data() + i), f, out + i);
  if (i < x.size()) round_rest(x.subspan(i), factor, out + i);
}

using Ints = hn::RebindToSigned<Float>;

template <typename Byte>
HWY_INLINE void store_bytes(hn::Vec<Ints> q, Byte* out) {
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out), _mm512_cvtepi32_epi8(q.raw));
#else
  const hn::Rebind<Byte, Float> bytes;
  hn::StoreU(hn::DemoteTo(bytes, q), bytes, out);
#endif
}

// f(vector of x, where its bytes go) over x; the last, shorter part is filled up with 0.
template <typename Byte, typename F>
HWY_INLINE void for_each_bytes(std::span<const float> x, Byte* out, const F& f) {
  const Float d;
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= x.size(); i += hn::Lanes(d)) f(hn::LoadU(d, x.data() + i), out + i);
  if (i == x.size()) return;
  HWY_ALIGN float rest[kRestLanes] = {};
  HWY_ALIGN Byte rounded[kRestLanes];
  std::copy(x.begin() + static_cast<std::ptrdiff_t>(i), x.end(), rest);
  f(hn::Load(d, rest), rounded);
  std::copy_n(rounded, x.size() - i, out + i);
}

std::int32_t round_to_signed_bytes(std::span<const float> x, float factor, std::int8_t* out) {
  const Ints ints;
  const FloatVec f = hn::Set(Float(), factor);
  // NaN and infinity, as a model of absurd weights makes them, may not overflow the sum.
  const auto least = hn::Set(ints, -127);
  const auto largest = hn::Set(ints, 127);
  auto sum = hn::Zero(ints);
  for_each_bytes(x, out, [&](FloatVec v, std::int8_t* to) HWY_ATTR {
    const auto q = hn::Min(hn::Max(hn::NearestInt(hn::Mul(v, f)), least), largest);
    sum = hn::Add(sum, q);
    store_bytes(q, to);
  });
  return hn::GetLane(hn::SumOfLanes(ints, sum));
}

void round_shifted(std::span<const float> x, float shift, float factor, std::int8_t* out) {
  const FloatVec s = hn::Set(Float(), shift);
  const FloatVec f = hn::Set(Float(), factor);
  for_each_bytes(x, out, [&](FloatVec v, std::int8_t* to) HWY_ATTR {
    store_bytes(hn::NearestInt(hn::Mul(hn::Sub(v, s), f)), to);
  });
}

void balance(std::span<const float> x, const float* centre, const float* balance, float* out) {
  const Float d;
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= x.size(); i += hn::Lanes(d)) {
    const FloatVec from_centre = hn::Sub(hn::LoadU(d, x.data() + i), hn::LoadU(d, centre + i));
    hn::StoreU(hn::Mul(from_centre, hn::LoadU(d, balance + i)), d, out + i);
  }
  for (; i < x.size(); ++i) out[i] = (x[i] - centre[i]) * balance[i];
}

void round_to_unsigned_bytes(std::span<const float> x, ByteScale scale, std::uint8_t* out) {
  const FloatVec factor = hn::Set(Float(), scale.factor);
  const auto zero = hn::Set(Ints(), scale.zero);
  for_each_bytes(x, out, [&](FloatVec v, std::uint8_t* to) HWY_ATTR {
    store_bytes(hn::Add(hn::NearestInt(hn::Mul(v, factor)), zero), to);
  });
}

// The least and the largest of x and 0. Several at once: one alone waits for itself.
std::pair<float, float> extremes(std::span<const float> x) {
  const Float d;
  constexpr std::size_t kTogether = 4;
  FloatVec least[kTogether];
  FloatVec largest[kTogether];
  for (std::size_t v = 0; v < kTogether; ++v) least[v] = largest[v] = hn::Zero(d);
  const auto take = [&](std::size_t v, const float* from) HWY_ATTR {
    least[v] = hn::Min(least[v], hn::LoadU(d, from));
    largest[v] = hn::Max(largest[v], hn::LoadU(d, from));
  };
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + kTogether * lanes <= x.size(); i += kTogether * lanes) {
#pragma GCC unroll 4
    for (std::size_t v = 0; v < kTogether; ++v) take(v, x.data() + i + v * lanes);
  }
  for (; i + lanes <= x.size(); i += lanes) take(0, x.data() + i);
  const FloatVec low = hn::Min(hn::Min(least[0], least[1]), hn::Min(least[2], least[3]));
  const FloatVec high = hn::Max(hn::Max(largest[0], largest[1]), hn::Max(largest[2], largest[3]));
  std::pair found{hn::GetLane(hn::MinOfLanes(d, low)), hn::GetLane(hn::MaxOfLanes(d, high))};
  for (; i < x.size(); ++i) found = {std::min(found.first, x[i]), std::max(found.second, x[i])};
  return found;
}

using Bits = hn::RebindToUnsigned<Float>;

HWY_INLINE void bf16_of_vector(const float* x, std::uint16_t* out) {
  const Bits bits;
  const hn::Rebind<std::uint16_t, Float> d16;
  const auto u = hn::BitCast(bits, hn::LoadU(Float(), x));
  const auto odd = hn::And(hn::ShiftRight<16>(u), hn::Set(bits, 1));
  const auto rounded = hn::Add(u, hn::Add(odd, hn::Set(bits, 0x7FFF)));
  const auto upper = hn::BitCast(Ints(), hn::ShiftRight<16>(rounded));
  hn::StoreU(hn::DemoteTo(d16, upper), d16, out);
}

void round_to_bf16(std::span<const float> x, std::uint16_t* out) {
  const std::size_t lanes = hn::Lanes(Float());
  std::size_t i = 0;
  for (; i + lanes <= x.size(); i += lanes) bf16_of_vector(x.data() + i, out + i);
  if (i == x.size()) return;
  HWY_ALIGN float rest[kRestLanes] = {};
  HWY_ALIGN std::uint16_t rounded[kRestLanes];
  std::copy_n(x.data() + i, x.size() - i, rest);
  bf16_of_vector(rest, rounded);
  std::copy_n(rounded, x.size() - i, out + i);
}

void raise_to_magnitudes(std::span<const float> x, float* largest) {
  const Float d;
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= x.size(); i += hn::Lanes(d)) {
    const FloatVec magnitude = hn::Abs(hn::LoadU(d, x.data() + i));
    hn::StoreU(hn::Max(magnitude, hn::LoadU(d, largest + i)), d, largest + i);
  }
  for (; i < x.size(); ++i) largest[i] = std::max(largest[i], std::abs(x[i]));
}

// Quads of a vector of columns; returns what they add to the sums.
HWY_INLINE hn::Vec<Ints> quads_of_vector(const float* const (&rows)[4], const float* factors,
                                         std::int8_t* out) {
  const Ints d;
  const auto byte = hn::Set(d, 0xFF);
  const FloatVec factor = hn::LoadU(Float(), factors);
  const auto round = [&](const float* row) HWY_ATTR {
    return hn::NearestInt(hn::Mul(hn::LoadU(Float(), row), factor));
  };
  const auto q0 = round(rows[0]);
  const auto q1 = round(rows[1]);
  const auto q2 = round(rows[2]);
  const auto q3 = round(rows[3]);
  const auto low = hn::Or(hn::And(q0, byte), hn::ShiftLeft<8>(hn::And(q1, byte)));
  const auto high = hn::Or(hn::And(q2, byte), hn::ShiftLeft<8>(q3));
  hn::StoreU(hn::Or(low, hn::ShiftLeft<16>(high)), d, reinterpret_cast<std::int32_t*>(out));
  return hn::Add(hn::Add(q0, q1), hn::Add(q2, q3));
}

void round_to_quads(const float* const (&rows)[4], std::span<const float> factors, std::int8_t* out,
                    std::int32_t* sums) {
  const Ints d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= factors.size(); i += lanes) {
    const float* const from[4] = {rows[0] + i, rows[1] + i, rows[2] + i, rows[3] + i};
    const auto added = quads_of_vector(from, factors.data() + i, out + 4 * i);
    hn::StoreU(hn::Add(hn::LoadU(d, sums + i), added), d, sums + i);
  }
  for (; i < factors.size(); ++i) {
    for (std::size_t r = 0; r < 4; ++r) {
      const float rounded = std::nearbyint(rows[r][i] * factors[i]);
      const auto q = static_cast<std::int32_t>(std::fmin(std::fmax(rounded, -127.0F), 127.0F));
      out[4 * i + r] = static_cast<std::int8_t>(q);
      sums[i] += q;
    }
  }
}

std::int32_t sum_of_magnitudes(std::span<const std::int16_t> q) {
  const hn::ScalableTag<std::int32_t> d;
  const hn::Rebind<std::int16_t, decltype(d)> d16;
  auto sums = hn::Zero(d);
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= q.size(); i += hn::Lanes(d))
    sums = hn::Add(sums, hn::Abs(hn::PromoteTo(d, hn::LoadU(d16, q.data() + i))));
  std::int32_t total = hn::GetLane(hn::SumOfLanes(d, sums));
  for (; i < q.size(); ++i) total += std::abs(q[i]);
  return total;
}

struct Totals {
  FloatVec sum;
  FloatVec weighted_sum;
  FloatVec weighted_max;
};

HWY_INLINE FloatVec add_term(FloatVec exponent, FloatVec weight, Totals& totals) {
  const FloatVec e = exp_nonpositive(exponent);
  const FloatVec weighted = hn::Mul(e, weight);
  totals.sum = hn::Add(totals.sum, e);
  totals.weighted_sum = hn::Add(totals.weighted_sum, weighted);
  totals.weighted_max = hn::Max(totals.weighted_max, weighted);
  return weighted;
}

SoftmaxSums exp_weighted(std::span<float> x, const float* weights, float max) {
  const Float d;
  const FloatVec max_vec = hn::Set(d, max);
  Totals totals{hn::Zero(d), hn::Zero(d), hn::Zero(d)};
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= x.size(); i += hn::Lanes(d)) {
    const FloatVec exponent = hn::Sub(hn::LoadU(d, x.data() + i), max_vec);
    hn::StoreU(add_term(exponent, hn::LoadU(d, weights + i), totals), d, x.data() + i);
  }
  if (i < x.size()) {
    HWY_ALIGN float rest[kRestLanes];
    HWY_ALIGN float rest_weights[kRestLanes] = {};
    std::fill(std::begin(rest), std::end(rest), -std::numeric_limits<float>::infinity());
    std::copy(x.begin() + static_cast<std::ptrdiff_t>(i), x.end(), rest);
    std::copy_n(weights + i, x.size() - i, rest_weights);
    const FloatVec exponent = hn::Sub(hn::Load(d, rest), max_vec);
    hn::Store(add_term(exponent, hn::Load(d, rest_weights), totals), d, rest);
    std::copy_n(rest, x.size() - i, x.data() + i);
  }
  return {hn::GetLane(hn::SumOfLanes(d, totals.sum)),
          hn::GetLane(hn::SumOfLanes(d, totals.weighted_sum)),
          hn::GetLane(hn::MaxOfLanes(d, totals.weighted_max))};
}

}  // namespace wnpu::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace wnpu::kernels {
namespace {

HWY_EXPORT(largest_magnitude);
HWY_EXPORT(round_scaled);
HWY_EXPORT(sum_of_magnitudes);
HWY_EXPORT(exp_weighted);
HWY_EXPORT(round_to_signed_bytes);
HWY_EXPORT(round_shifted);
HWY_EXPORT(balance);
HWY_EXPORT(round_to_unsigned_bytes);
HWY_EXPORT(extremes);
HWY_EXPORT(round_to_bf16);
HWY_EXPORT(raise_to_magnitudes);
HWY_EXPORT(round_to_quads);

}  // namespace

float quantising_factor(std::span<const float> x, float limit) {
  const float factor = limit / HWY_DYNAMIC_DISPATCH(largest_magnitude)(x);
  return std::isfinite(factor) ? factor : 0.0F;
}

SoftmaxSums exp_weighted(std::span<float> x, float max, std::span<const float> weights) {
  assert(x.size() == weights.size());
  return HWY_DYNAMIC_DISPATCH(exp_weighted)(x, weights.data(), max);
}

std::int32_t sum_of_magnitudes(std::span<const std::int16_t> q) {
  return HWY_DYNAMIC_DISPATCH(sum_of_magnitudes)(q);
}

void round_scaled(std::span<const float> x, float factor, std::span<std::int16_t> out) {
  assert(out.size() >= x.size());
  HWY_DYNAMIC_DISPATCH(round_scaled)(x, factor, out.data());
}

std::int32_t round_to_bytes(std::span<const float> x, float factor, std::span<std::int8_t> out) {
  assert(out.size() >= x.size());
  return HWY_DYNAMIC_DISPATCH(round_to_signed_bytes)(x, factor, out.data());
}

void round_to_bytes(std::span<const float> x, float shift, float factor,
                    std::span<std::int8_t> out) {
  assert(out.size() >= x.size());
  HWY_DYNAMIC_DISPATCH(round_shifted)(x, shift, factor, out.data());
}

void balance(std::span<const float> x, std::span<const float> centre,
             std::span<const float> balance, std::span<float> out) {
  assert(centre.size() == x.size() && balance.size() == x.size() && out.size() >= x.size());
  HWY_DYNAMIC_DISPATCH(balance)(x, centre.data(), balance.data(), out.data());
}

ByteScale byte_scale(std::span<const float> x) {
  // One less than there are: both ends are rounded.
  const float steps = byte_limits().left - 1;
  const auto [least, largest] = HWY_DYNAMIC_DISPATCH(extremes)(x);
  const float factor = steps / (largest - least);
  if (!std::isfinite(factor) || factor == 0) return {0, 0};  // 0: an infinity among them
  return {factor, static_cast<std::int32_t>(std::nearbyint(-least * factor))};
}

void round_to_bytes(std::span<const float> x, ByteScale scale, std::span<std::uint8_t> out) {
  assert(out.size() >= x.size());
  HWY_DYNAMIC_DISPATCH(round_to_unsigned_bytes)(x, scale, out.data());
}

void round_to_bf16(std::span<const float> x, std::span<std::uint16_t> out) {
  assert(out.size() >= x.size());
  HWY_DYNAMIC_DISPATCH(round_to_bf16)(x, out.data());
}

void raise_to_magnitudes(std::span<const float> x, std::span<float> largest) {
  assert(largest.size() >= x.size());
  HWY_DYNAMIC_DISPATCH(raise_to_magnitudes)(x, largest.data());
}

void round_to_quads(const std::array<std::span<const float>, 4>& rows,
                    std::span<const float> factors, std::span<std::int8_t> out,
                    std::span<std::int32_t> sums) {
  assert(out.size() >= 4 * factors.size() && sums.size() >= factors.size());
  assert(std::ranges::all_of(rows, [&](auto row) { return row.size() >= factors.size(); }));
  const float* const data[4] = {rows[0].data(), rows[1].data(), rows[2].data(), rows[3].data()};
  HWY_DYNAMIC_DISPATCH(round_to_quads)(data, factors, out.data(), sums.data());
}

}  // namespace wnpu::kernels
#endif  // HWY_ONCE
