#include "audio/read/prefetch_reader.h"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <span>
#include <stdexcept>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/scarce_threads.h"

using wnpu::audio::PrefetchReader;

namespace {

std::vector<float> taken_of(std::span<const float> samples, std::size_t piece, bool beside) {
  std::vector<float> taken;
  const auto take = [&](std::span<const float> some) {
    taken.insert(taken.end(), some.begin(), some.end());
  };
  PrefetchReader stream(take, beside);
  for (std::size_t i = 0; i < samples.size(); i += piece)
    stream.push(samples.subspan(i, std::min(piece, samples.size() - i)));
  stream.finish();
  return taken;
}

}  // namespace

TEST_CASE("samples beside: a thread takes all of them, in order, whatever the pieces") {
  std::vector<float> samples(300000);
  std::iota(samples.begin(), samples.end(), 0.0F);
  for (const std::size_t piece : {1000U, 16000U, 200000U}) {
    CHECK(taken_of(samples, piece, true) == samples);
    CHECK(taken_of(samples, piece, false) == samples);
  }
}

TEST_CASE("samples beside: what the thread throws comes out, sooner or later") {
  const std::vector<float> samples(100000);
  for (const bool beside : {true, false}) {
    CAPTURE(beside);
    PrefetchReader stream([](std::span<const float>) { throw std::runtime_error("no more"); },
                          beside);
    const auto use = [&] {
      stream.push(samples);
      stream.finish();
    };
    CHECK_THROWS_WITH_AS(use(), "no more", std::runtime_error);
  }
}

TEST_CASE(
    "samples beside: a thread is waited for where its stream is given up, and takes no more") {
  const std::vector<float> samples(100000);
  std::atomic<std::size_t> taken = 0;
  {
    PrefetchReader stream([&](std::span<const float> some) { taken += some.size(); }, true);
    stream.push(samples);
    stream.push(std::span(samples).first(1));
  }
  CHECK(taken == samples.size());
}

TEST_CASE("samples beside: all of them are taken where the system gives no thread") {
  if (!wnpu::tests::threads_can_be_scarce()) return;
  std::vector<float> samples(300000);
  std::iota(samples.begin(), samples.end(), 0.0F);
  CHECK(wnpu::tests::holds_with_room_for(
      0, [&] { return taken_of(samples, 16000, true) == samples; }));
}
