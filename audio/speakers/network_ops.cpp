// Compiled once for each instruction set by Highway; the best one is chosen at run time.
#include "audio/speakers/network_ops.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>

// foreach_target.h must come before highway.h, and that before *-inl.h.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "audio/speakers/network_ops.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace wnpu::audio::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Row = hn::ScalableTag<float>;
using Single = hn::CappedTag<float, 1>;

// y[i] = f(d, i) for i < n: vectors, then single floats.
template <typename F>
HWY_INLINE void each(std::size_t n, float* y, const F& f) {
  const Row d;
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= n; i += hn::Lanes(d)) hn::StoreU(f(d, i), d, y + i);
  for (; i < n; ++i) hn::StoreU(f(Single(), i), Single(), y + i);
}

void absolute(std::span<float> x) {
  each(x.size(), x.data(),
       [&](auto d, std::size_t i) HWY_ATTR { return hn::Abs(hn::LoadU(d, x.data() + i)); });
}

void max_of_three(models::ConstMatrixView x, models::MatrixView y) {
  for (std::size_t r = 0; r < y.rows; ++r) {
    const float* const from = x.data + 3 * r * x.stride;
    each(y.cols, y.data + r * y.stride, [&](auto d, std::size_t i) HWY_ATTR {
      const auto two = hn::Max(hn::LoadU(d, from + i), hn::LoadU(d, from + x.stride + i));
      return hn::Max(two, hn::LoadU(d, from + 2 * x.stride + i));
    });
  }
}

void scale_shift(models::ConstMatrixView x, const float* scale, const float* shift,
                 models::MatrixView y) {
  for (std::size_t r = 0; r < x.rows; ++r) {
    const float* const from = x.data + r * x.stride;
    each(x.cols, y.data + r * y.stride, [&](auto d, std::size_t i) HWY_ATTR {
      return hn::MulAdd(hn::LoadU(d, from + i), hn::LoadU(d, scale + i), hn::LoadU(d, shift + i));
    });
  }
}

void affine_relu(models::ConstMatrixView x, const ChannelAffine& affine, models::MatrixView y) {
  const float* const scale = affine.scale.data();
  const float* const shift = affine.shift.data();
  for (std::size_t r = 0; r < x.rows; ++r) {
    const float* const from = x.data + r * x.stride;
    each(x.cols, y.data + r * y.stride, [&](auto d, std::size_t i) HWY_ATTR {
      return hn::Max(
          hn::MulAdd(hn::LoadU(d, from + i), hn::LoadU(d, scale + i), hn::LoadU(d, shift + i)),
          hn::Zero(d));
    });
  }
}

void leaky_relu(std::span<float> x, float slope) {
  each(x.size(), x.data(), [&](auto d, std::size_t i) HWY_ATTR {
    const auto v = hn::LoadU(d, x.data() + i);
    return hn::Max(v, hn::Mul(v, hn::Set(d, slope)));  // slope < 1
  });
}

void add_relu(std::span<const float> y, std::span<float> x) {
  each(x.size(), x.data(), [&](auto d, std::size_t i) HWY_ATTR {
    return hn::Max(hn::Add(hn::LoadU(d, x.data() + i), hn::LoadU(d, y.data() + i)), hn::Zero(d));
  });
}

}  // namespace wnpu::audio::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace wnpu::audio {

HWY_EXPORT(absolute);
HWY_EXPORT(max_of_three);
HWY_EXPORT(scale_shift);
HWY_EXPORT(affine_relu);
HWY_EXPORT(leaky_relu);
HWY_EXPORT(add_relu);

void absolute(models::MatrixView x) {
  for (std::size_t r = 0; r < x.rows; ++r) HWY_DYNAMIC_DISPATCH(absolute)(x.row(r));
}

void max_of_three(models::ConstMatrixView x, models::MatrixView y) {
  assert(x.rows >= 3 * y.rows && x.cols == y.cols);
  HWY_DYNAMIC_DISPATCH(max_of_three)(x, y);
}

void normalise_instance(models::MatrixView x, const ChannelAffine& affine) {
  constexpr double kEpsilon = 1e-5;
  std::vector<double> sums(x.cols);
  std::vector<double> squares(x.cols);
  for (std::size_t r = 0; r < x.rows; ++r) {
    const float* const row = x.data + r * x.stride;
    for (std::size_t c = 0; c < x.cols; ++c) {
      const auto value = static_cast<double>(row[c]);
      sums[c] += value;
      squares[c] += value * value;
    }
  }
  ChannelAffine now = affine;
  for (std::size_t c = 0; c < x.cols; ++c) {
    const double mean = sums[c] / static_cast<double>(x.rows);
    const double variance = std::max(squares[c] / static_cast<double>(x.rows) - mean * mean, 0.0);
    const double scale = static_cast<double>(affine.scale[c]) / std::sqrt(variance + kEpsilon);
    now.scale[c] = static_cast<float>(scale);
    now.shift[c] = static_cast<float>(static_cast<double>(affine.shift[c]) - mean * scale);
  }
  HWY_DYNAMIC_DISPATCH(scale_shift)(x, now.scale.data(), now.shift.data(), x);
}

void leaky_relu(std::span<float> x, float slope) { HWY_DYNAMIC_DISPATCH(leaky_relu)(x, slope); }

void affine_relu(models::ConstMatrixView x, const ChannelAffine& affine, models::MatrixView y) {
  assert(x.cols <= affine.scale.size() && x.rows == y.rows && x.cols == y.cols);
  HWY_DYNAMIC_DISPATCH(affine_relu)(x, affine, y);
}

void add_relu(std::span<const float> y, std::span<float> x) {
  assert(x.size() == y.size());
  HWY_DYNAMIC_DISPATCH(add_relu)(y, x);
}

}  // namespace wnpu::audio
#endif  // HWY_ONCE
