#include "models/kernels/vectors/elementwise.h"

#include <algorithm>
#include <cmath>
#include <limits>

// Highway compiles this file once a target, through foreach_target.h, which must come first.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "models/kernels/vectors/elementwise.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "models/kernels/vectors/simd_math-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace wnpu::kernels::elementwise::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using kernels::HWY_NAMESPACE::Float;
using kernels::HWY_NAMESPACE::FloatVec;

// Calls f(vector of 16 bytes up to the machine's width) over x and writes the results back; the
// last, shorter part goes through a padded copy so that memory beyond x is never touched.
template <typename F>
void for_each_vector(std::span<float> x, float pad, const F& f) {
  const Float d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= x.size(); i += lanes)
    hn::StoreU(f(hn::LoadU(d, x.data() + i)), d, x.data() + i);
  if (i == x.size()) return;
  HWY_ALIGN float tail[HWY_MAX_BYTES / sizeof(float)];
  std::fill(std::begin(tail), std::end(tail), pad);
  std::copy(x.begin() + static_cast<std::ptrdiff_t>(i), x.end(), tail);
  hn::Store(f(hn::Load(d, tail)), d, tail);
  std::copy_n(tail, x.size() - i, x.begin() + static_cast<std::ptrdiff_t>(i));
}

// The sum of f over x, in an order that depends on the target's width alone.
template <typename F>
float sum_vectors(std::span<const float> x, float pad, const F& f) {
  const Float d;
  const std::size_t lanes = hn::Lanes(d);
  FloatVec sum = hn::Zero(d);
  std::size_t i = 0;
  for (; i + lanes <= x.size(); i += lanes) sum = hn::Add(sum, f(hn::LoadU(d, x.data() + i)));
  if (i < x.size()) {
    HWY_ALIGN float tail[HWY_MAX_BYTES / sizeof(float)];
    std::fill(std::begin(tail), std::end(tail), pad);
    std::copy(x.begin() + static_cast<std::ptrdiff_t>(i), x.end(), tail);
    sum = hn::Add(sum, f(hn::Load(d, tail)));
  }
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

void gelu(std::span<float> x) {
  for_each_vector(x, 0.0F, [](FloatVec v) { return kernels::HWY_NAMESPACE::gelu(v); });
}

HWY_INLINE FloatVec exp_below(FloatVec x, float max) {
  return kernels::HWY_NAMESPACE::exp_nonpositive(hn::Sub(x, hn::Set(Float(), max)));
}

float exp_minus(std::span<float> x, float max) {
  const Float d;
  FloatVec sum = hn::Zero(d);
  for_each_vector(x, -std::numeric_limits<float>::infinity(), [max, &sum](FloatVec v) {
    const FloatVec e = exp_below(v, max);
    sum = hn::Add(sum, e);
    return e;
  });
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

float sum_exp_minus(std::span<const float> x, float max) {
  return sum_vectors(x, -std::numeric_limits<float>::infinity(),
                     [max](FloatVec v) { return exp_below(v, max); });
}

float max(std::span<const float> x) {
  const Float d;
  const std::size_t lanes = hn::Lanes(d);
  FloatVec best = hn::Set(d, -std::numeric_limits<float>::infinity());
  std::size_t i = 0;
  for (; i + lanes <= x.size(); i += lanes) best = hn::Max(best, hn::LoadU(d, x.data() + i));
  float result = hn::GetLane(hn::MaxOfLanes(d, best));
  for (; i < x.size(); ++i) result = std::max(result, x[i]);
  return result;
}

void scale(std::span<float> x, float factor) {
  for_each_vector(x, 0.0F, [factor](FloatVec v) { return hn::Mul(v, hn::Set(Float(), factor)); });
}

void axpy(float a, std::span<const float> x, std::span<float> y) {
  const Float d;
  const std::size_t lanes = hn::Lanes(d);
  const FloatVec factor = hn::Set(d, a);
  std::size_t i = 0;
  for (; i + lanes <= x.size(); i += lanes) {
    const FloatVec sum = hn::MulAdd(factor, hn::LoadU(d, x.data() + i), hn::LoadU(d, y.data() + i));
    hn::StoreU(sum, d, y.data() + i);
  }
  for (; i < x.size(); ++i) y[i] += a * x[i];
}

// Sorts two lanes by lanes.
template <typename V>
HWY_INLINE void order(V& low, V& high) {
  const V least = hn::Min(low, high);
  high = hn::Max(low, high);
  low = least;
}

// The least sorting that leaves the middle in its place: 13 comparisons (a test tries all inputs).
template <typename D>
HWY_INLINE hn::Vec<D> middle_of_7(D d, const float* x) {
  constexpr std::size_t kPairs[][2] = {{0, 5}, {0, 3}, {1, 6}, {2, 4}, {0, 1}, {3, 5}, {2, 6},
                                       {2, 3}, {3, 6}, {4, 5}, {1, 4}, {1, 3}, {3, 4}};
  hn::Vec<D> v[7];
  for (std::size_t i = 0; i < 7; ++i) v[i] = hn::LoadU(d, x + i);
  for (const auto& [low, high] : kPairs) order(v[low], v[high]);
  return v[3];
}

void median_of_7(std::span<const float> x, std::span<float> y) {
  const Float d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= y.size(); i += lanes)
    hn::StoreU(middle_of_7(d, x.data() + i), d, y.data() + i);
  const hn::CappedTag<float, 1> single;
  for (; i < y.size(); ++i) hn::StoreU(middle_of_7(single, x.data() + i), single, y.data() + i);
}

void layer_norm_row(const NormRow& row, std::span<float> y) {
  const Float d;
  const std::size_t lanes = hn::Lanes(d);
  const auto width = static_cast<float>(row.x.size());
  const float mean = sum_vectors(row.x, 0.0F, [](FloatVec v) { return v; }) / width;
  const float variance = sum_vectors(row.x, mean,
                                     [mean](FloatVec v) {
                                       const FloatVec c = hn::Sub(v, hn::Set(Float(), mean));
                                       return hn::Mul(c, c);
                                     }) /
                         width;
  const float scale = 1.0F / std::sqrt(variance + row.epsilon);
  const FloatVec mean_vec = hn::Set(d, mean);
  const FloatVec scale_vec = hn::Set(d, scale);
  std::size_t i = 0;
  for (; i + lanes <= y.size(); i += lanes) {
    const FloatVec c = hn::Mul(hn::Sub(hn::LoadU(d, row.x.data() + i), mean_vec), scale_vec);
    hn::StoreU(hn::MulAdd(c, hn::LoadU(d, row.gamma.data() + i), hn::LoadU(d, row.beta.data() + i)),
               d, y.data() + i);
  }
  for (; i < y.size(); ++i) y[i] = (row.x[i] - mean) * scale * row.gamma[i] + row.beta[i];
}

}  // namespace wnpu::kernels::elementwise::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace wnpu::kernels::elementwise {

HWY_EXPORT(gelu);
HWY_EXPORT(exp_minus);
HWY_EXPORT(sum_exp_minus);
HWY_EXPORT(max);
HWY_EXPORT(scale);
HWY_EXPORT(axpy);
HWY_EXPORT(median_of_7);
HWY_EXPORT(layer_norm_row);

void gelu(std::span<float> x) { HWY_DYNAMIC_DISPATCH(gelu)(x); }
float exp_minus(std::span<float> x, float max) { return HWY_DYNAMIC_DISPATCH(exp_minus)(x, max); }
float sum_exp_minus(std::span<const float> x, float max) {
  return HWY_DYNAMIC_DISPATCH(sum_exp_minus)(x, max);
}
float max(std::span<const float> x) { return HWY_DYNAMIC_DISPATCH(max)(x); }
void scale(std::span<float> x, float factor) { HWY_DYNAMIC_DISPATCH(scale)(x, factor); }
void axpy(float a, std::span<const float> x, std::span<float> y) {
  HWY_DYNAMIC_DISPATCH(axpy)(a, x, y);
}
void median_of_7(std::span<const float> x, std::span<float> y) {
  HWY_DYNAMIC_DISPATCH(median_of_7)(x, y);
}
void layer_norm_row(const NormRow& row, std::span<float> y) {
  HWY_DYNAMIC_DISPATCH(layer_norm_row)(row, y);
}

}  // namespace wnpu::kernels::elementwise
#endif  // HWY_ONCE
