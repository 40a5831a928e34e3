// Compiled once for each instruction set by Highway; the best one is chosen at run time.
#include "audio/vad/hann_stft.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>

#include "models/base/thread_pool.h"
#include "models/kernels/products/gemm.h"
#include "models/weights/pack_weights.h"

// foreach_target.h must come before highway.h, and that before *-inl.h.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "audio/vad/hann_stft.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "models/kernels/vectors/simd_math-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace wnpu::audio::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using kernels::HWY_NAMESPACE::Float;
using kernels::HWY_NAMESPACE::FloatVec;

constexpr std::size_t kTerms = HannStft::kSize / 4;

// x[256], out[4 * 64].
void fold(const float* x, float* out) {
  const Float d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t i = 0; i < kTerms; i += lanes) {  // m = 2 i + 1 and 2 i + 2
    FloatVec odd, even, mirrored_even, mirrored_odd;
    hn::LoadInterleaved2(d, x + 2 * i + 1, odd, even);
    hn::LoadInterleaved2(d, x + HannStft::kSize - 2 * (i + lanes), mirrored_even, mirrored_odd);
    mirrored_odd = hn::Reverse(d, mirrored_odd);
    mirrored_even = hn::Reverse(d, mirrored_even);
    hn::StoreU(hn::Add(odd, mirrored_odd), d, out + i);
    hn::StoreU(hn::Add(even, mirrored_even), d, out + kTerms + i);
    hn::StoreU(hn::Sub(odd, mirrored_odd), d, out + 2 * kTerms + i);
    hn::StoreU(hn::Sub(even, mirrored_even), d, out + 3 * kTerms + i);
  }
}

// out[0 .. 128] from the sums of a frame, [65] each.
void unfold(const std::array<const float*, 4>& sums, float* out) {
  const auto [of_cos_odd, of_cos_even, of_sin_odd, of_sin_even] = sums;
  const Float d;
  const auto magnitude = [&](FloatVec re, FloatVec im)
                             HWY_ATTR { return hn::Sqrt(hn::MulAdd(re, re, hn::Mul(im, im))); };
  for (std::size_t k = 0; k < kTerms; k += hn::Lanes(d)) {
    const FloatVec cos_odd = hn::LoadU(d, of_cos_odd + k);
    const FloatVec cos_even = hn::LoadU(d, of_cos_even + k);
    const FloatVec sin_odd = hn::LoadU(d, of_sin_odd + k);
    const FloatVec sin_even = hn::LoadU(d, of_sin_even + k);
    hn::StoreU(magnitude(hn::Add(cos_even, cos_odd), hn::Add(sin_odd, sin_even)), d, out + k);
    const FloatVec mirrored = magnitude(hn::Sub(cos_even, cos_odd), hn::Sub(sin_odd, sin_even));
    hn::StoreU(hn::Reverse(d, mirrored), d, out + 2 * kTerms + 1 - k - hn::Lanes(d));
  }
  const float re = of_cos_even[kTerms] + of_cos_odd[kTerms];
  const float im = of_sin_odd[kTerms] + of_sin_even[kTerms];
  out[kTerms] = std::sqrt(re * re + im * im);
}

}  // namespace wnpu::audio::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace wnpu::audio {
namespace {

HWY_EXPORT(fold);
HWY_EXPORT(unfold);

constexpr std::size_t kTerms = HannStft::kSize / 4;
constexpr std::size_t kSums = kTerms + 1;

// Weights for one part of the folded samples (hann_stft.h): s with odd m, s with even m, d
// likewise.
models::Matrix folded_weights(std::size_t part) {
  models::Matrix weights(kSums, kTerms);
  for (std::size_t k = 0; k < kSums; ++k) {
    for (std::size_t i = 0; i < kTerms; ++i) {
      const std::size_t m = 2 * i + 1 + part % 2;
      const auto [re, im] = HannStft::weight(k, m);
      const double twice = m == HannStft::kSize / 2 ? 2 : 1;  // x[128] is its own mirror image
      weights.row(k)[i] = static_cast<float>((part < 2 ? re : im) / twice);
    }
  }
  return weights;
}

}  // namespace

HannStft::Weight HannStft::weight(std::size_t k, std::size_t n) {
  const auto angle = [](std::size_t turns) {
    return 2 * std::numbers::pi * static_cast<double>(turns % kSize) / kSize;
  };
  const double hann = 0.5 - 0.5 * std::cos(angle(n));
  return {hann * std::cos(angle(k * n)), -hann * std::sin(angle(k * n))};
}

HannStft::HannStft(std::size_t max_frames) : folded_(max_frames, kParts * kTerms) {
  models::ThreadPool pool(1);
  for (std::size_t part = 0; part < kParts; ++part) {
    models::LinearWeights folded{folded_weights(part), {}};
    parts_[part] = {models::pack_linear(pool, kernels::DataType::f32, {folded}).weight,
                    models::Matrix(max_frames, kSums)};
  }
}

void HannStft::set_frame(std::size_t i, std::span<const float> samples) {
  assert(samples.size() == kSize);
  HWY_DYNAMIC_DISPATCH(fold)(samples.data(), folded_.row(i).data());
}

void HannStft::magnitudes(models::MatrixView out) {
  assert(out.cols == kBins && out.rows <= folded_.rows());
  for (std::size_t part = 0; part < kParts; ++part) {
    const auto terms = folded_.view().row_range(0, out.rows).col_range(part * kTerms, kTerms);
    kernels::gemm({terms, parts_[part].weights, {}},
                  parts_[part].sums.view().row_range(0, out.rows));
  }
  for (std::size_t r = 0; r < out.rows; ++r) {
    const auto sums = [&](std::size_t part) { return parts_[part].sums.row(r).data(); };
    HWY_DYNAMIC_DISPATCH(unfold)({sums(0), sums(1), sums(2), sums(3)}, out.row(r).data());
  }
}

}  // namespace wnpu::audio
#endif  // HWY_ONCE
