#include "audio/mel/mel_filters.h"

#include <cmath>

#include <doctest/doctest.h>

#include "tests/support/mel_reference.h"
#include "tests/support/tolerances.h"

using namespace wnpu::audio;
using namespace wnpu::tests;

TEST_CASE("mel filters: every weight is that of the definition") {
  for (const std::size_t n_mels : {80U, 128U}) {
    const auto filters = mel_filters(n_mels);
    REQUIRE(filters.size() == n_mels);
    for (std::size_t m = 0; m < n_mels; ++m) {
      CAPTURE(m);
      double worst = 0;
      for (std::size_t bin = 0; bin < kBins; ++bin) {
        const std::size_t at = bin - filters[m].first_bin;  // wraps below first_bin
        const double weight = at < filters[m].weights.size() ? filters[m].weights[at] : 0.0F;
        worst = std::max(worst, std::abs(weight - mel_weight(n_mels, m, bin)));
      }
      CHECK(worst <= tolerance::kMelWeight);
    }
  }
}

TEST_CASE("mel filters: the first ones by hand") {
  // 80 filters: 8 kHz is 45.2456 mel, so that the edges lie 0.558588 mel = 37.2392 Hz apart below
  // 1 kHz. At 40 Hz the first triangle has fallen to (74.4784 - 40) / 37.2392 of 2 / 74.4784.
  const auto filters = mel_filters(80);
  REQUIRE(filters[0].first_bin == 1);
  CHECK(static_cast<double>(filters[0].weights[0]) == doctest::Approx(0.0248626).epsilon(1e-5));
  CHECK(filters[0].weights.size() == 1);
  REQUIRE(filters[1].first_bin == 1);
  CHECK(static_cast<double>(filters[1].weights[0]) == doctest::Approx(0.00199082).epsilon(1e-4));
}

TEST_CASE("mel filters: between the first and the last peak the triangles add up to one") {
  for (const std::size_t n_mels : {80U, 128U}) {
    const auto filters = mel_filters(n_mels);
    const double step = (15 + 27 * std::log(8.0) / std::log(6.4)) / static_cast<double>(n_mels + 1);
    std::vector<double> sums(kBins);
    for (std::size_t m = 0; m < n_mels; ++m) {
      const double width = mel_edge_hz(static_cast<double>(m + 2) * step) -
                           mel_edge_hz(static_cast<double>(m) * step);
      for (std::size_t i = 0; i < filters[m].weights.size(); ++i) {
        sums[filters[m].first_bin + i] += static_cast<double>(filters[m].weights[i]) * width / 2;
      }
    }
    // 7680 Hz lies below the last peak of either bank.
    for (std::size_t bin = 1; bin <= 192; ++bin)
      CHECK(sums[bin] == doctest::Approx(1).epsilon(1e-6));
  }
}
