#include "models/kernels/vectors/gathered_rows.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <cstring>

#include "models/kernels/vectors/half_floats.h"

// Highway compiles this file once a target, through foreach_target.h, which must come first.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "models/kernels/vectors/gathered_rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "models/kernels/vectors/simd_math-inl.h"
// clang-format on

#ifndef WNPU_KERNELS_GATHERED_ROWS_OF_
#define WNPU_KERNELS_GATHERED_ROWS_OF_
namespace wnpu::kernels {

// Rows of fp32 or of fp16, as the kernels see both.
template <typename T>
struct RowsOf {
  const T* data;
  std::size_t stride;
  std::size_t cols;
  std::span<const std::uint32_t> rows;

  const T* row(std::size_t i) const { return data + rows[i] * stride; }
};

}  // namespace wnpu::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace wnpu::kernels::HWY_NAMESPACE {

HWY_INLINE FloatVec load(const float* x) { return hn::LoadU(Float(), x); }
HWY_INLINE FloatVec load(const hwy::float16_t* x) {
  return hn::PromoteTo(Float(), hn::LoadU(hn::Rebind<hwy::float16_t, Float>(), x));
}
HWY_INLINE float value_of(const float* x) { return *x; }
HWY_INLINE float value_of(const hwy::float16_t* x) {
  std::uint16_t bits = 0;  // on ARM it is a number of the compiler's
  std::memcpy(&bits, x, sizeof(bits));
  return widen_f16(bits);
}

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

template <typename T, std::size_t kRows>
HWY_INLINE void dot_some(std::span<const float> x, const T* const (&rows)[kRows], float* out) {
  const Float d;
  FloatVec sums[kRows];
  for (FloatVec& sum : sums) sum = hn::Zero(d);
  std::size_t c = 0;
  for (; c + hn::Lanes(d) <= x.size(); c += hn::Lanes(d)) {
    const FloatVec v = hn::LoadU(d, x.data() + c);
#pragma GCC unroll 4
    for (std::size_t r = 0; r < kRows; ++r) sums[r] = hn::MulAdd(v, load(rows[r] + c), sums[r]);
  }
  store_sums(sums, out);
  for (std::size_t r = 0; r < kRows && c < x.size(); ++r) {
    for (std::size_t rest = c; rest < x.size(); ++rest)
      out[r] += x[rest] * value_of(rows[r] + rest);
  }
}

template <typename T>
HWY_INLINE void dot_all(std::span<const float> x, const RowsOf<T>& rows, float* out) {
  std::size_t i = 0;
  for (; i + kTogether <= rows.rows.size(); i += kTogether) {
    const T* together[kTogether];
    for (std::size_t r = 0; r < kTogether; ++r) together[r] = rows.row(i + r);
    dot_some(x, together, out + i);
  }
  for (; i < rows.rows.size(); ++i) {
    const T* const one[1] = {rows.row(i)};
    dot_some(x, one, out + i);
  }
}

// kVectors vectors of columns, from `col` on.
template <std::size_t kVectors, typename T>
HWY_INLINE void add_up_columns(std::span<const float> weights, const RowsOf<T>& rows,
                               std::size_t col, float* out) {
  const Float d;
  FloatVec sums[kVectors];
  for (FloatVec& sum : sums) sum = hn::Zero(d);
  for (std::size_t i = 0; i < rows.rows.size(); ++i) {
    const FloatVec weight = hn::Set(d, weights[i]);
    const T* const row = rows.row(i) + col;
#pragma GCC unroll 8
    for (std::size_t v = 0; v < kVectors; ++v)
      sums[v] = hn::MulAdd(weight, load(row + v * hn::Lanes(d)), sums[v]);
  }
  for (std::size_t v = 0; v < kVectors; ++v) hn::StoreU(sums[v], d, out + col + v * hn::Lanes(d));
}

template <typename T>
HWY_INLINE void add_up_all(std::span<const float> weights, const RowsOf<T>& rows, float* out) {
  constexpr std::size_t kVectors = std::min<std::size_t>(64 / hn::MaxLanes(Float()), 8);  // a head
  const std::size_t lanes = hn::Lanes(Float());
  const std::size_t cols = rows.cols;
  std::size_t col = 0;
  for (; col + kVectors * lanes <= cols; col += kVectors * lanes)
    add_up_columns<kVectors>(weights, rows, col, out);
  for (; col + lanes <= cols; col += lanes) add_up_columns<1>(weights, rows, col, out);
  for (; col < cols; ++col) {
    out[col] = 0;
    for (std::size_t i = 0; i < rows.rows.size(); ++i)
      out[col] += weights[i] * value_of(rows.row(i) + col);
  }
}

void dot_floats(std::span<const float> x, const RowsOf<float>& rows, float* out) {
  dot_all(x, rows, out);
}
void dot_halves(std::span<const float> x, const RowsOf<hwy::float16_t>& rows, float* out) {
  dot_all(x, rows, out);
}
void add_up_floats(std::span<const float> weights, const RowsOf<float>& rows, float* out) {
  add_up_all(weights, rows, out);
}
void add_up_halves(std::span<const float> weights, const RowsOf<hwy::float16_t>& rows, float* out) {
  add_up_all(weights, rows, out);
}

}  // namespace wnpu::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace wnpu::kernels {
namespace {

HWY_EXPORT(dot_floats);
HWY_EXPORT(dot_halves);
HWY_EXPORT(add_up_floats);
HWY_EXPORT(add_up_halves);

[[maybe_unused]] bool is_inside(const GatheredRows& rows) {
  return std::ranges::all_of(rows.rows, [&](std::uint32_t row) { return row < rows.of.rows; });
}

RowsOf<float> rows_of(const GatheredRows& rows) {
  return {rows.of.data, rows.of.stride, rows.of.cols, rows.rows};
}
RowsOf<hwy::float16_t> rows_of(const GatheredHalves& rows) {
  return {reinterpret_cast<const hwy::float16_t*>(rows.data), rows.stride, rows.cols, rows.rows};
}

}  // namespace

void dot_rows(std::span<const float> x, const GatheredRows& rows, std::span<float> out) {
  assert(x.size() == rows.of.cols && out.size() == rows.size() && is_inside(rows));
  HWY_DYNAMIC_DISPATCH(dot_floats)(x, rows_of(rows), out.data());
}

void dot_rows(std::span<const float> x, const GatheredHalves& rows, std::span<float> out) {
  assert(x.size() == rows.cols && out.size() == rows.size());
  HWY_DYNAMIC_DISPATCH(dot_halves)(x, rows_of(rows), out.data());
}

void add_up_rows(std::span<const float> weights, const GatheredRows& rows, std::span<float> out) {
  assert(weights.size() == rows.size() && out.size() == rows.of.cols && is_inside(rows));
  HWY_DYNAMIC_DISPATCH(add_up_floats)(weights, rows_of(rows), out.data());
}

void add_up_rows(std::span<const float> weights, const GatheredHalves& rows, std::span<float> out) {
  assert(weights.size() == rows.size() && out.size() == rows.cols);
  HWY_DYNAMIC_DISPATCH(add_up_halves)(weights, rows_of(rows), out.data());
}

}  // namespace wnpu::kernels
#endif  // HWY_ONCE
