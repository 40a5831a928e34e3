// Compiled once for each instruction set by Highway; the best one is chosen at run time. Every lane
// of a vector holds another frame, so that the code below reads as for one frame.
#include "audio/mel/mel_kernel.h"

#include <algorithm>
#include <cassert>

// foreach_target.h must come before highway.h, and that before *-inl.h.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "audio/mel/mel_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include <hwy/contrib/math/math-inl.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace wnpu::audio::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Lanes = hn::CappedTag<float, kGroupFrames>;
using Vec = hn::Vec<Lanes>;

constexpr std::size_t kMaxLanes = kGroupFrames;

// Working memory of one round. [..][frame]
struct Scratch {
  alignas(64) float windowed[kFftSize * kMaxLanes];
  alignas(64) float re[kHalf1 * kRadix2 * kMaxLanes];  // [k1][n2]
  alignas(64) float im[kHalf1 * kRadix2 * kMaxLanes];
  alignas(64) float power[kBins * kMaxLanes];
};

// windowed[n][f] = window[n] * samples[160 f + n]
void interleave_frames(const MelTables& tables, const float* samples, std::size_t lanes,
                       float* windowed) {
  for (std::size_t n = 0; n < kFftSize; ++n) {
    for (std::size_t f = 0; f < lanes; ++f) {
      windowed[n * lanes + f] = tables.window[n] * samples[f * kHopSamples + n];
    }
  }
}

// For one n2 and three k1 (from `k1` on): the sum over n1, times the twiddle factor.
HWY_INLINE void dft_over_n1(const MelTables& tables, std::size_t n2, std::size_t k1, Scratch& s) {
  const Lanes d;
  const std::size_t lanes = hn::Lanes(d);
  Vec re0 = hn::Zero(d), re1 = re0, re2 = re0;
  Vec im0 = re0, im1 = re0, im2 = re0;
  for (std::size_t n1 = 0; n1 < kRadix1; ++n1) {
    const Vec x = hn::Load(d, s.windowed + (kRadix2 * n1 + n2) * lanes);
    const Complex* w = &tables.dft1[n1][k1];
    re0 = hn::MulAdd(hn::Set(d, w[0].re), x, re0);
    im0 = hn::MulAdd(hn::Set(d, w[0].im), x, im0);
    re1 = hn::MulAdd(hn::Set(d, w[1].re), x, re1);
    im1 = hn::MulAdd(hn::Set(d, w[1].im), x, im1);
    re2 = hn::MulAdd(hn::Set(d, w[2].re), x, re2);
    im2 = hn::MulAdd(hn::Set(d, w[2].im), x, im2);
  }
  const auto store = [&](std::size_t k, Vec re, Vec im) {
    const Vec w_re = hn::Set(d, tables.twiddle[n2][k].re);
    const Vec w_im = hn::Set(d, tables.twiddle[n2][k].im);
    const std::size_t at = (k * kRadix2 + n2) * lanes;
    hn::Store(hn::NegMulAdd(im, w_im, hn::Mul(re, w_re)), d, s.re + at);
    hn::Store(hn::MulAdd(re, w_im, hn::Mul(im, w_re)), d, s.im + at);
  };
  store(k1, re0, im0);
  store(k1 + 1, re1, im1);
  store(k1 + 2, re2, im2);
}

// For one k1 and five k2 (from `k2` on): the sum over n2, and the power of those five bins.
HWY_INLINE void power_over_n2(const MelTables& tables, std::size_t k1, std::size_t k2, Scratch& s) {
  const Lanes d;
  const std::size_t lanes = hn::Lanes(d);
  Vec re0 = hn::Zero(d), re1 = re0, re2 = re0, re3 = re0, re4 = re0;
  Vec im0 = re0, im1 = re0, im2 = re0, im3 = re0, im4 = re0;
  const auto add = [&](Complex w, Vec x_re, Vec x_im, Vec& re, Vec& im) HWY_ATTR {
    const Vec w_re = hn::Set(d, w.re);
    const Vec w_im = hn::Set(d, w.im);
    re = hn::NegMulAdd(w_im, x_im, hn::MulAdd(w_re, x_re, re));
    im = hn::MulAdd(w_im, x_re, hn::MulAdd(w_re, x_im, im));
  };
  for (std::size_t n2 = 0; n2 < kRadix2; ++n2) {
    const Vec x_re = hn::Load(d, s.re + (k1 * kRadix2 + n2) * lanes);
    const Vec x_im = hn::Load(d, s.im + (k1 * kRadix2 + n2) * lanes);
    const Complex* w = &tables.dft2[n2][k2];
    add(w[0], x_re, x_im, re0, im0);
    add(w[1], x_re, x_im, re1, im1);
    add(w[2], x_re, x_im, re2, im2);
    add(w[3], x_re, x_im, re3, im3);
    add(w[4], x_re, x_im, re4, im4);
  }
  const auto store = [&](std::size_t k, Vec re, Vec im) HWY_ATTR {
    const std::size_t bin = k1 + kRadix1 * k;
    const std::size_t mirrored = std::min(bin, kFftSize - bin);  // X[400 - k] = conj X[k]
    hn::Store(hn::MulAdd(im, im, hn::Mul(re, re)), d, s.power + mirrored * lanes);
  };
  store(k2, re0, im0);
  store(k2 + 1, re1, im1);
  store(k2 + 2, re2, im2);
  store(k2 + 3, re3, im3);
  store(k2 + 4, re4, im4);
}

void power_spectrum(const MelTables& tables, Scratch& s) {
  static_assert(kHalf1 % 3 == 0 && kRadix2 % 5 == 0);
  for (std::size_t n2 = 0; n2 < kRadix2; ++n2) {
    for (std::size_t k1 = 0; k1 < kHalf1; k1 += 3) dft_over_n1(tables, n2, k1, s);
  }
  for (std::size_t k1 = 0; k1 < kHalf1; ++k1) {
    for (std::size_t k2 = 0; k2 < kRadix2; k2 += 5) power_over_n2(tables, k1, k2, s);
  }
}

// openai/whisper audio.py log_mel_spectrogram: mel power, not below 1e-10, as log10.
void log_mel(const MelTables& tables, const Scratch& s, models::MatrixView out) {
  const Lanes d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t m = 0; m < tables.filters.size(); ++m) {
    const MelFilter& filter = tables.filters[m];
    Vec sum = hn::Zero(d);
    for (std::size_t i = 0; i < filter.weights.size(); ++i) {
      const Vec power = hn::Load(d, s.power + (filter.first_bin + i) * lanes);
      sum = hn::MulAdd(hn::Set(d, filter.weights[i]), power, sum);
    }
    const Vec clamped = hn::Max(sum, hn::Set(d, 1e-10F));
    hn::StoreU(hn::Log10(d, clamped), d, out.row(m).data());
  }
}

void group(const MelTables& tables, const float* samples, models::MatrixView out) {
  const std::size_t lanes = hn::Lanes(Lanes());
  Scratch scratch;
  for (std::size_t first = 0; first < kGroupFrames; first += lanes) {
    interleave_frames(tables, samples + first * kHopSamples, lanes, scratch.windowed);
    power_spectrum(tables, scratch);
    log_mel(tables, scratch, out.col_range(first, lanes));
  }
}

}  // namespace wnpu::audio::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace wnpu::audio {

HWY_EXPORT(group);

void log_mel_group(const MelTables& tables, std::span<const float> samples,
                   models::MatrixView out) {
  assert(samples.size() == kGroupSamples);
  assert(out.rows == tables.filters.size() && out.cols == kGroupFrames);
  HWY_DYNAMIC_DISPATCH(group)(tables, samples.data(), out);
}

}  // namespace wnpu::audio
#endif
