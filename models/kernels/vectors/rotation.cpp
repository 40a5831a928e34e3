#include "models/kernels/vectors/rotation.h"

#include <algorithm>
#include <cassert>
#include <cmath>

// Highway compiles this file once a target, through foreach_target.h, which must come first.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "models/kernels/vectors/rotation.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "models/kernels/vectors/simd_math-inl.h"
// clang-format on

#ifndef WNPU_KERNELS_ROTATION_ROW_
#define WNPU_KERNELS_ROTATION_ROW_
namespace wnpu::kernels {

// A row from x to y: `size` groups of `stride` channels.
struct RotatedRow {
  const float* x;
  float* y;
  std::size_t size;
  std::size_t stride;
};

}  // namespace wnpu::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace wnpu::kernels::HWY_NAMESPACE {

// Sum and difference of two vectors, in their places.
template <typename Vec>
HWY_INLINE void cross(Vec& a, Vec& b) {
  const Vec sum = hn::Add(a, b);
  b = hn::Sub(a, b);
  a = sum;
}

// The Hadamard transform of two, four or eight vectors that are `step` apart, times `factor`.
template <typename D>
void transform2(D d, const float* x, float* y, std::size_t step, hn::Vec<D> factor) {
  auto a = hn::LoadU(d, x);
  auto b = hn::LoadU(d, x + step);
  cross(a, b);
  hn::StoreU(hn::Mul(a, factor), d, y);
  hn::StoreU(hn::Mul(b, factor), d, y + step);
}

template <typename D>
void transform4(D d, const float* x, float* y, std::size_t step, hn::Vec<D> factor) {
  auto v0 = hn::LoadU(d, x);
  auto v1 = hn::LoadU(d, x + step);
  auto v2 = hn::LoadU(d, x + 2 * step);
  auto v3 = hn::LoadU(d, x + 3 * step);
  cross(v0, v1);
  cross(v2, v3);
  cross(v0, v2);
  cross(v1, v3);
  hn::StoreU(hn::Mul(v0, factor), d, y);
  hn::StoreU(hn::Mul(v1, factor), d, y + step);
  hn::StoreU(hn::Mul(v2, factor), d, y + 2 * step);
  hn::StoreU(hn::Mul(v3, factor), d, y + 3 * step);
}

template <typename D>
void transform8(D d, const float* x, float* y, std::size_t step) {
  auto v0 = hn::LoadU(d, x);
  auto v1 = hn::LoadU(d, x + step);
  auto v2 = hn::LoadU(d, x + 2 * step);
  auto v3 = hn::LoadU(d, x + 3 * step);
  auto v4 = hn::LoadU(d, x + 4 * step);
  auto v5 = hn::LoadU(d, x + 5 * step);
  auto v6 = hn::LoadU(d, x + 6 * step);
  auto v7 = hn::LoadU(d, x + 7 * step);
  cross(v0, v1);
  cross(v2, v3);
  cross(v4, v5);
  cross(v6, v7);
  cross(v0, v2);
  cross(v1, v3);
  cross(v4, v6);
  cross(v5, v7);
  cross(v0, v4);
  cross(v1, v5);
  cross(v2, v6);
  cross(v3, v7);
  hn::StoreU(v0, d, y);
  hn::StoreU(v1, d, y + step);
  hn::StoreU(v2, d, y + 2 * step);
  hn::StoreU(v3, d, y + 3 * step);
  hn::StoreU(v4, d, y + 4 * step);
  hn::StoreU(v5, d, y + 5 * step);
  hn::StoreU(v6, d, y + 6 * step);
  hn::StoreU(v7, d, y + 7 * step);
}

// Sizes of 8 and more are made of eights, then of what is left: 1, 2 or 4.
template <typename D>
void rotate_by(D d, const RotatedRow& row) {
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t rest = row.size < 8 ? row.size : row.size / 8;
  const auto factor = hn::Set(d, 1.0F / std::sqrt(static_cast<float>(row.size)));
  const float* from = row.x;
  if (row.size >= 8) {
    for (std::size_t c = 0; c < rest * row.stride; c += lanes)
      transform8(d, row.x + c, row.y + c, rest * row.stride);
    from = row.y;
  }
  for (std::size_t group = 0; group < row.size; group += rest) {
    const std::size_t first = group * row.stride;
    for (std::size_t c = first; c < first + row.stride; c += lanes) {
      if (rest == 4) transform4(d, from + c, row.y + c, row.stride, factor);
      if (rest == 2) transform2(d, from + c, row.y + c, row.stride, factor);
      if (rest == 1) hn::StoreU(hn::Mul(hn::LoadU(d, from + c), factor), d, row.y + c);
    }
  }
}

void rotate_row(const RotatedRow& row) {
  const Float wide;
  if (row.stride % hn::Lanes(wide) == 0) return rotate_by(wide, row);
  rotate_by(hn::CappedTag<float, 8>(), row);
}

}  // namespace wnpu::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace wnpu::kernels {

HWY_EXPORT(rotate_row);

std::size_t rotation_size(std::size_t k) {
  constexpr std::size_t kMost = 32;
  constexpr std::size_t kLanes = 8;
  std::size_t size = 1;
  while (size < kMost && k != 0 && k % (2 * size * kLanes) == 0) size *= 2;
  return size;
}

void rotate(models::ConstMatrixView x, models::MatrixView y) {
  assert(x.rows == y.rows && x.cols == y.cols);
  const std::size_t size = rotation_size(x.cols);
  for (std::size_t r = 0; r < x.rows; ++r) {
    const RotatedRow row{x.row(r).data(), y.row(r).data(), size, x.cols / size};
    if (size > 1) {
      HWY_DYNAMIC_DISPATCH(rotate_row)(row);
    } else if (row.x != row.y) {
      std::copy_n(row.x, x.cols, row.y);
    }
  }
}

}  // namespace wnpu::kernels
#endif  // HWY_ONCE
