#include "app/stream/sample_queue.h"

#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

namespace {

using std::chrono::milliseconds;
using wnpu::app::SampleQueue;

constexpr milliseconds kLong{60000};

std::vector<std::int16_t> counted(std::size_t n) {
  std::vector<std::int16_t> samples(n);
  std::iota(samples.begin(), samples.end(), std::int16_t{0});
  return samples;
}

}  // namespace

TEST_CASE("sample queue: a thread gets all samples in order through little room") {
  const std::vector<std::int16_t> samples = counted(30000);
  SampleQueue queue(700);
  std::thread feeder([&] {
    for (std::size_t at = 0; at < samples.size();) {
      const std::size_t n = std::min<std::size_t>(1 + at % 1300, samples.size() - at);
      if (!queue.push(std::span(samples).subspan(at, n))) return;
      at += n;
    }
    queue.end();
  });
  std::vector<std::int16_t> taken;
  while (true) {
    CHECK(queue.size() <= 700);
    const auto some = queue.take(512, kLong);
    REQUIRE(some);
    taken.insert(taken.end(), some->begin(), some->end());
    if (some->size() < 512) break;
  }
  feeder.join();
  CHECK(taken == samples);
}

TEST_CASE("sample queue: a thread that waits for room is let go where nobody wants samples") {
  SampleQueue queue(10);
  bool is_wanted = true;
  std::thread feeder([&] { is_wanted = queue.push(counted(100)); });
  CHECK(queue.take(5, kLong)->size() == 5);
  queue.close();
  feeder.join();
  CHECK_FALSE(is_wanted);
}

TEST_CASE("sample queue: fewer than asked for come at the end, or where the rest is asked for") {
  SampleQueue queue(100);
  queue.push(counted(7));
  CHECK_FALSE(queue.take(10, milliseconds{1}));
  CHECK(queue.take_rest(3).size() == 3);
  queue.end();
  CHECK(queue.take(10, kLong)->size() == 4);
  CHECK(queue.take(10, kLong)->empty());
}

TEST_CASE(
    "sample queue: an error waits for whoever took the samples before it, as many as there are") {
  for (const unsigned n_samples : {0U, 3U, 10U, 23U}) {
    CAPTURE(n_samples);
    SampleQueue queue(100);
    queue.push(counted(n_samples));
    CHECK_NOTHROW(queue.check());
    queue.end(std::make_exception_ptr(std::runtime_error("no more")));
    std::size_t n_taken = 0;
    for (auto some = queue.take(10, kLong); some; some = queue.take(10, kLong)) {
      n_taken += some->size();
      if (some->size() < 10) break;
    }
    CHECK(n_taken == n_samples);
    CHECK_THROWS_WITH_AS(queue.check(), "no more", std::runtime_error);
  }
}
