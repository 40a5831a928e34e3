#include "models/gathered_rows.h"

#include <algorithm>
#include <cassert>

// Highway compiles this file once a target, through foreach_target.h, which must come first.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "models/gathered_rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "models/simd_math-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace wnpu::models::HWY_NAMESPACE {

// Rows whose sums run side by side: one alone waits for itself.
constexpr std::size_t kTogether = 4;

template <std::size_t kRows>
HWY_INLINE void store_sums(const FloatVec (&v)[kRows], float* out) {
  for (std::size_t r = 0; r < kRows; ++r) out[r] = hn::GetLane(hn::SumOfLanes(Float(), v[r]));
}

#if HWY_TARGET != HWY_SCALAR
// Four lanes, each a sum.
template <typename D>
HWY_INLINE void store_four(D d, hn::Vec<D> v, float* out) {
  if constexpr (hn::MaxLanes(D()) > 4) {
    const hn::Half<D> half;
    store_four(half, hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)), out);
  } else {
    hn::StoreU(v, d, out);
  }
}

// Four at once, in each block of four lanes: a third of the shuffles.
HWY_INLINE void store_sums(const FloatVec (&v)[4], float* out) {
  const Float d;
  const hn::RepartitionToWide<hn::RebindToUnsigned<Float>> d64;
  const auto both = [&](FloatVec a, FloatVec b) HWY_ATTR {
    return hn::BitCast(d64, hn::Add(hn::InterleaveLower(d, a, b), hn::InterleaveUpper(d, a, b)));
  };
  const auto first = both(v[0], v[1]);
  const auto second = both(v[2], v[3]);
  const auto lower = hn::BitCast(d, hn::InterleaveLower(d64, first, second));
  const auto upper = hn::BitCast(d, hn::InterleaveUpper(d64, first, second));
  store_four(d, hn::Add(lower, upper), out);
}
#endif

template <std::size_t kRows>
HWY_INLINE void dot_some(std::span<const float> x, const float* const (&rows)[kRows], float* out) {
  const Float d;
  FloatVec sums[kRows];
  for (FloatVec& sum : sums) sum = hn::Zero(d);
  std::size_t c = 0;
  for (; c + hn::Lanes(d) <= x.size(); c += hn::Lanes(d)) {
    const FloatVec v = hn::LoadU(d, x.data() + c);
#pragma GCC unroll 4
    for (std::size_t r = 0; r < kRows; ++r)
      sums[r] = hn::MulAdd(v, hn::LoadU(d, rows[r] + c), sums[r]);
  }
  store_sums(sums, out);
  for (std::size_t r = 0; r < kRows && c < x.size(); ++r) {
    for (std::size_t rest = c; rest < x.size(); ++rest) out[r] += x[rest] * rows[r][rest];
  }
}

void dot_rows(std::span<const float> x, const GatheredRows& rows, float* out) {
  std::size_t i = 0;
  for (; i + kTogether <= rows.size(); i += kTogether) {
    const float* together[kTogether];
    for (std::size_t r = 0; r < kTogether; ++r)
      together[r] = rows.of.data + rows.rows[i + r] * rows.of.stride;
    dot_some(x, together, out + i);
  }
  for (; i < rows.size(); ++i) {
    const float* const one[1] = {rows.of.data + rows.rows[i] * rows.of.stride};
    dot_some(x, one, out + i);
  }
}

// kVectors vectors of columns, from `col` on.
template <std::size_t kVectors>
HWY_INLINE void add_up_columns(std::span<const float> weights, const GatheredRows& rows,
                               std::size_t col, float* out) {
  const Float d;
  FloatVec sums[kVectors];
  for (FloatVec& sum : sums) sum = hn::Zero(d);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const FloatVec weight = hn::Set(d, weights[i]);
    const float* const row = rows.of.data + rows.rows[i] * rows.of.stride + col;
#pragma GCC unroll 8
    for (std::size_t v = 0; v < kVectors; ++v)
      sums[v] = hn::MulAdd(weight, hn::LoadU(d, row + v * hn::Lanes(d)), sums[v]);
  }
  for (std::size_t v = 0; v < kVectors; ++v) hn::StoreU(sums[v], d, out + col + v * hn::Lanes(d));
}

void add_up_rows(std::span<const float> weights, const GatheredRows& rows, float* out) {
  constexpr std::size_t kVectors = std::min<std::size_t>(64 / hn::MaxLanes(Float()), 8);  // a head
  const std::size_t lanes = hn::Lanes(Float());
  const std::size_t cols = rows.of.cols;
  std::size_t col = 0;
  for (; col + kVectors * lanes <= cols; col += kVectors * lanes)
    add_up_columns<kVectors>(weights, rows, col, out);
  for (; col + lanes <= cols; col += lanes) add_up_columns<1>(weights, rows, col, out);
  for (; col < cols; ++col) {
    out[col] = 0;
    for (std::size_t i = 0; i < rows.size(); ++i)
      out[col] += weights[i] * rows.of.data[rows.rows[i] * rows.of.stride + col];
  }
}

}  // namespace wnpu::models::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace wnpu::models {
namespace {

HWY_EXPORT(dot_rows);
HWY_EXPORT(add_up_rows);

[[maybe_unused]] bool is_inside(const GatheredRows& rows) {
  return std::ranges::all_of(rows.rows, [&](std::uint32_t row) { return row < rows.of.rows; });
}

}  // namespace

void dot_rows(std::span<const float> x, const GatheredRows& rows, std::span<float> out) {
  assert(x.size() == rows.of.cols && out.size() == rows.size() && is_inside(rows));
  HWY_DYNAMIC_DISPATCH(dot_rows)(x, rows, out.data());
}

void add_up_rows(std::span<const float> weights, const GatheredRows& rows, std::span<float> out) {
  assert(weights.size() == rows.size() && out.size() == rows.of.cols && is_inside(rows));
  HWY_DYNAMIC_DISPATCH(add_up_rows)(weights, rows, out.data());
}

}  // namespace wnpu::models
#endif  // HWY_ONCE
