// Trials of --advise and its recommendations, over random measurements.
#include "bench/advise/advise.h"

#include <random>

#include <doctest/doctest.h>

namespace {

using namespace wnpu;         // NOLINT
using namespace wnpu::bench;  // NOLINT

Tried tried(double speed, double error_rate, std::uint64_t peak, unsigned threads = 2) {
  return {{"fp32", 5, 1, threads}, 100, {100 / speed}, {""}, peak, error_rate};
}

}  // namespace

TEST_CASE("advise: fp32 with five beams comes first, which others are compared with") {
  BenchOptions options;
  options.work.transcribe.vad.weights = "/nowhere";
  const std::vector<Candidate> all = candidates_of(options, 3);
  CHECK(all.front() == Candidate{"fp32", 5, 1, 3});
  CHECK(all.size() == 6);
  for (std::size_t i = 0; i < all.size(); ++i) {
    CHECK(all[i].threads == 3);
    CHECK(all[i].batch == 1);
    for (std::size_t k = 0; k < i; ++k) CHECK_FALSE(all[i] == all[k]);
  }
  options.work.gemm = kernels::Gemm::blas;
  for (const Candidate& each : candidates_of(options, 3)) CHECK(each.precision == "fp32");
}

TEST_CASE("advise: batches are tried where there is a detector and no clips") {
  BenchOptions options;
  options.work.transcribe.vad.weights = WNPU_SOURCE_DIR "/README.md";  // any file that is there
  const auto n_batched = [&options] {
    std::size_t n = 0;
    for (const Candidate& each : candidates_of(options, 1)) n += each.batch > 1 ? 1 : 0;
    return n;
  };
  CHECK(n_batched() == 6);
  options.work.transcribe.clip_timestamps = {0, 5};
  CHECK(n_batched() == 0);
  options.work.transcribe.clip_timestamps = {0};
  options.work.vad = false;
  CHECK(n_batched() == 0);
}

TEST_CASE("advise: of those that are right enough none is faster by more than the margin") {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> unit(0, 1);
  for (int round = 0; round < 300; ++round) {
    std::vector<Tried> all;
    const std::size_t n = 1 + random() % 12;
    for (std::size_t i = 0; i < n; ++i) {
      all.push_back(tried(1 + 9 * unit(random), 0.05 * unit(random), 1 + random() % 5));
    }
    const Tried& best = all.at(advised(all));
    for (const Tried& each : all) {
      CHECK(best.error_rate <= each.error_rate + kWorse);
      double fewest = 1;
      for (const Tried& other : all) fewest = std::min(fewest, other.error_rate);
      if (each.error_rate > fewest + kWorse) continue;
      CHECK(best.speed() >= each.speed() * (1 - kAsFast) * (1 - 1e-9));
      if (each.speed() >= best.speed()) CHECK(best.peak_bytes <= each.peak_bytes);
    }
  }
}

TEST_CASE("advise: what is as fast takes less memory, then fewer threads") {
  CHECK(advised(std::vector{tried(10, 0, 9), tried(9.9, 0, 5), tried(9, 0, 1)}) == 1);
  CHECK(advised(std::vector{tried(10, 0, 5, 4), tried(9.9, 0, 5, 2)}) == 1);
  CHECK(advised(std::vector{tried(1, 0, 5), tried(10, 0.02, 5), tried(2, 0.01, 9)}) == 2);
}
