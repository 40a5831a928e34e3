#include "models/quantise.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdlib>
#include <limits>

// Highway compiles this file once a target, through foreach_target.h, which must come first.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "models/quantise.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "models/simd_math-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace wnpu::models::HWY_NAMESPACE {

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

void round_scaled(std::span<const float> x, float factor, std::int16_t* out) {
  const Float d;
  const FloatVec f = hn::Set(d, factor);
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= x.size(); i += hn::Lanes(d))
    round_vector(hn::LoadU(d, x.data() + i), f, out + i);
  if (i == x.size()) return;
  HWY_ALIGN float rest[kRestLanes] = {};
  HWY_ALIGN std::int16_t rounded[kRestLanes];
  std::copy(x.begin() + static_cast<std::ptrdiff_t>(i), x.end(), rest);
  round_vector(hn::Load(d, rest), f, rounded);
  std::copy_n(rounded, x.size() - i, out + i);
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

}  // namespace wnpu::models::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace wnpu::models {
namespace {

HWY_EXPORT(largest_magnitude);
HWY_EXPORT(round_scaled);
HWY_EXPORT(sum_of_magnitudes);
HWY_EXPORT(exp_weighted);

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

}  // namespace wnpu::models
#endif  // HWY_ONCE
