// The folded STFT against a DFT in fp64, from its definition.
#include "audio/vad/hann_stft.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include <doctest/doctest.h>

#include "tests/few_samples.h"
#include "tests/support/difference.h"
#include "tests/support/product_reference.h"
#include "tests/support/random_matrix.h"
#include "tests/support/tolerances.h"

using namespace wnpu;  // NOLINT
using audio::HannStft;

namespace {

std::vector<double> reference(std::span<const float> x) {
  std::vector<double> magnitudes;
  for (std::size_t k = 0; k < HannStft::kBins; ++k) {
    std::complex<double> sum = 0;
    for (std::size_t n = 0; n < HannStft::kSize; ++n) {
      const double angle = 2 * std::numbers::pi * static_cast<double>(n) / HannStft::kSize;
      const double windowed = static_cast<double>(x[n]) * (1 - std::cos(angle)) / 2;
      sum += windowed * std::polar(1.0, -angle * static_cast<double>(k));
    }
    magnitudes.push_back(std::abs(sum));
  }
  return magnitudes;
}

// The largest error of frames that are set last to first; `max_frames` of them have room.
double error_of(const models::Matrix& frames, std::size_t max_frames) {
  HannStft stft(max_frames);
  for (std::size_t i = frames.rows(); i-- > 0;) stft.set_frame(i, frames.row(i));
  models::Matrix found(frames.rows(), HannStft::kBins);
  stft.magnitudes(found.view());
  double worst = 0;
  for (std::size_t i = 0; i < frames.rows(); ++i)
    worst = std::max(worst, tests::max_abs_difference(found.row(i), reference(frames.row(i))));
  return worst;
}

}  // namespace

TEST_CASE("hann stft: magnitudes of noise, of any number of frames") {
  tests::on_every_instruction_set([] {
    for (const std::size_t n : {1U, 3U, 128U})
      CHECK(error_of(tests::random_matrix(n, HannStft::kSize, 5), 128) <
            tests::tolerance::kHannStft);
  });
}

TEST_CASE("hann stft: a sample alone, wherever it is, and a tone in each bin") {
  constexpr std::size_t kShare = tests::kSampleShare;
  models::Matrix samples(HannStft::kSize / kShare, HannStft::kSize);
  for (std::size_t i = 0; i < samples.rows(); ++i) samples.row(i)[i * kShare] = 1;
  models::Matrix tones(HannStft::kBins / kShare, HannStft::kSize);
  for (std::size_t i = 0; i < tones.rows(); ++i) {
    const std::size_t k = i * kShare;
    for (std::size_t n = 0; n < HannStft::kSize; ++n) {
      const double turns = static_cast<double>(k * n % HannStft::kSize) / HannStft::kSize;
      tones.row(i)[n] = static_cast<float>(std::cos(2 * std::numbers::pi * turns + 0.5));
    }
  }
  tests::on_every_instruction_set([&] {
    CHECK(error_of(samples, HannStft::kSize) < tests::tolerance::kHannStft);
    CHECK(error_of(tones, HannStft::kSize) < tests::tolerance::kHannStft);
  });
}
