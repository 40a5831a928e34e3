// Compiled once for each instruction set by Highway; the best one is chosen at run time.
#include "audio/speakers/network_ops.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

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

void add_rows(models::ConstMatrixView x, float* sums) {
  each(x.cols, sums, [&](auto d, std::size_t i) HWY_ATTR {
    auto sum = hn::LoadU(d, sums + i);
    for (std::size_t r = 0; r < x.rows; ++r)
      sum = hn::Add(sum, hn::LoadU(d, x.data + r * x.stride + i));
    return sum;
  });
}

void add_squares(models::ConstMatrixView x, float* sums) {
  each(x.cols, sums, [&](auto d, std::size_t i) HWY_ATTR {
    auto sum = hn::LoadU(d, sums + i);
    for (std::size_t r = 0; r < x.rows; ++r) {
      const auto value = hn::LoadU(d, x.data + r * x.stride + i);
      sum = hn::MulAdd(value, value, sum);
    }
    return sum;
  });
}

void scale_columns(models::MatrixView x, const float* factors) {
  for (std::size_t r = 0; r < x.rows; ++r) {
    float* const row = x.data + r * x.stride;
    each(x.cols, row, [&](auto d, std::size_t i) HWY_ATTR {
      return hn::Mul(hn::LoadU(d, row + i), hn::LoadU(d, factors + i));
    });
  }
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
HWY_EXPORT(add_rows);
HWY_EXPORT(add_squares);
HWY_EXPORT(scale_columns);

void absolute(models::MatrixView x) {
  for (std::size_t r = 0; r < x.rows; ++r) HWY_DYNAMIC_DISPATCH(absolute)(x.row(r));
}

void max_of_three(models::ConstMatrixView x, models::MatrixView y) {
  assert(x.rows >= 3 * y.rows && x.cols == y.cols);
  HWY_DYNAMIC_DISPATCH(max_of_three)(x, y);
}

namespace {

// Sums of columns and of their squares: as floats over a few rows, which are many in all.
struct Moments {
  std::vector<double> sums, squares;

  explicit Moments(models::ConstMatrixView x) : sums(x.cols), squares(x.cols) {
    constexpr std::size_t kRowsAtOnce = 64;
    std::vector<float> some(x.cols), some_squares(x.cols);
    for (std::size_t first = 0; first < x.rows; first += kRowsAtOnce) {
      const auto rows = x.row_range(first, std::min(kRowsAtOnce, x.rows - first));
      std::ranges::fill(some, 0.0F);
      std::ranges::fill(some_squares, 0.0F);
      HWY_DYNAMIC_DISPATCH(add_rows)(rows, some.data());
      HWY_DYNAMIC_DISPATCH(add_squares)(rows, some_squares.data());
      for (std::size_t c = 0; c < x.cols; ++c) {
        sums[c] += static_cast<double>(some[c]);
        squares[c] += static_cast<double>(some_squares[c]);
      }
    }
  }
};

// Becomes the scale and shift that normalise n values of these sums first.
void follow_normalisation(double sum, double squares, double n, float& scale, float& shift) {
  constexpr double kEpsilon = 1e-5;
  const double mean = sum / n;
  const double variance = std::max(squares / n - mean * mean, 0.0);
  const double factor = static_cast<double>(scale) / std::sqrt(variance + kEpsilon);
  scale = static_cast<float>(factor);
  shift = static_cast<float>(static_cast<double>(shift) - mean * factor);
}

}  // namespace

void normalise_instance(models::MatrixView x, const ChannelAffine& affine) {
  const Moments of(x);
  ChannelAffine now = affine;
  for (std::size_t c = 0; c < x.cols; ++c) {
    follow_normalisation(of.sums[c], of.squares[c], static_cast<double>(x.rows), now.scale[c],
                         now.shift[c]);
  }
  HWY_DYNAMIC_DISPATCH(scale_shift)(x, now.scale.data(), now.shift.data(), x);
}

void normalise_wave(std::span<float> x, float scale, float shift) {
  constexpr std::size_t kColumns = 64;
  assert(x.size() % kColumns == 0);
  const models::MatrixView columns{x.data(), x.size() / kColumns, kColumns, kColumns};
  const Moments of(columns);
  follow_normalisation(std::accumulate(of.sums.begin(), of.sums.end(), 0.0),
                       std::accumulate(of.squares.begin(), of.squares.end(), 0.0),
                       static_cast<double>(x.size()), scale, shift);
  const ChannelAffine all{std::vector<float>(kColumns, scale), std::vector<float>(kColumns, shift)};
  HWY_DYNAMIC_DISPATCH(scale_shift)(columns, all.scale.data(), all.shift.data(), columns);
}

void add_rows(models::ConstMatrixView x, std::span<float> sums) {
  assert(x.cols == sums.size());
  HWY_DYNAMIC_DISPATCH(add_rows)(x, sums.data());
}

void scale_columns(models::MatrixView x, std::span<const float> factors) {
  assert(x.cols == factors.size());
  HWY_DYNAMIC_DISPATCH(scale_columns)(x, factors.data());
}

void leaky_relu(std::span<float> x, float slope) { HWY_DYNAMIC_DISPATCH(leaky_relu)(x, slope); }

void affine_relu(models::ConstMatrixView x, const ChannelAffine& affine, models::MatrixView y) {
  assert(x.cols <= affine.scale.size() && x.rows == y.rows && x.cols == y.cols);
  HWY_DYNAMIC_DISPATCH(affine_relu)(x, affine, y);
}

}  // namespace wnpu::audio
#endif  // HWY_ONCE
