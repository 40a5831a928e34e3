#include "app/stream/block_detector.h"

#include <cmath>
#include <random>
#include <vector>

#include <doctest/doctest.h>

namespace {

std::vector<std::int16_t> block_noise(std::mt19937& rng, double rms) {
  std::normal_distribution<> value(0, rms * 32768);
  std::vector<std::int16_t> block(512);
  for (std::int16_t& sample : block) sample = static_cast<std::int16_t>(std::lround(value(rng)));
  return block;
}

// Share of blocks that are taken for speech.
double share(wnpu::app::BlockDetector& detector, std::mt19937& rng, double rms, int n_blocks) {
  double sum = 0;
  for (int i = 0; i < n_blocks; ++i) sum += detector.speech(block_noise(rng, rms));
  return sum / n_blocks;
}

}  // namespace

TEST_CASE("block detector: what is louder than the noise is speech, the noise itself is not") {
  for (const double floor : {0.0001, 0.002, 0.02}) {
    CAPTURE(floor);
    std::mt19937 rng(1);
    wnpu::app::BlockDetector detector("");
    CHECK(detector.is_by_loudness());
    share(detector, rng, floor, 2000);  // gets to know the noise
    CHECK(share(detector, rng, floor, 100) == 0);
    CHECK(share(detector, rng, std::max(0.01, floor * 6), 100) == 1);
    CHECK(share(detector, rng, floor, 100) < 0.05);
  }
}

TEST_CASE("block detector: digital silence is none") {
  wnpu::app::BlockDetector detector("");
  const std::vector<std::int16_t> silence(512);
  for (int i = 0; i < 10; ++i) CHECK(detector.speech(silence) == 0);
}
