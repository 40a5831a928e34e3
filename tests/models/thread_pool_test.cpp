#include "models/base/thread_pool.h"

#include <atomic>
#include <new>
#include <stdexcept>
#include <vector>

#include <doctest/doctest.h>

#include "models/base/error.h"
#include "tests/support/scarce_threads.h"

using wnpu::models::ThreadPool;
using namespace wnpu::tests;  // NOLINT

TEST_CASE("thread pool: runs every iteration once, loop after loop") {
  ThreadPool pool(3);
  for (int loop = 0; loop < 200; ++loop) {
    std::vector<int> runs(static_cast<std::size_t>(loop), 0);
    pool.parallel_for(runs.size(), [&](std::size_t i, std::size_t thread) {
      CHECK_MESSAGE(thread < 3, "thread ", thread);
      ++runs[i];
    });
    CHECK(runs == std::vector<int>(runs.size(), 1));
  }
}

TEST_CASE("thread pool: an iteration's exception reaches the caller, and the next loop is whole") {
  for (std::size_t threads = 1; threads <= 6; ++threads) {
    ThreadPool pool(threads);
    for (std::size_t failing = 0; failing < 40; ++failing) {
      std::atomic<int> n_running = 0;
      const auto fail = [&](std::size_t i, std::size_t /*thread*/) {
        ++n_running;
        const bool fails = i >= failing;
        --n_running;
        if (fails) throw std::bad_alloc();
      };
      CHECK_THROWS_AS(pool.parallel_for(40, fail), std::bad_alloc);
      CHECK(n_running == 0);
      std::atomic<std::size_t> sum = 0;
      pool.parallel_for(40, [&](std::size_t i, std::size_t /*thread*/) { sum += i; });
      CHECK(sum == 780);
    }
  }
}

TEST_CASE("thread pool: asked to stop, a loop ends early, and every one after it") {
  for (const std::size_t threads : {1U, 3U}) {
    ThreadPool pool(threads);
    std::atomic<std::size_t> n_run = 0;
    const auto count = [&](std::size_t, std::size_t) { ++n_run; };
    std::size_t n_asked = 0;
    pool.set_should_stop([&n_asked] { return ++n_asked > 2; });
    CHECK_THROWS_AS(while (true) pool.parallel_for(100000, count), wnpu::models::Stopped);
    if (threads == 1) CHECK(n_run == 2);
    CHECK_THROWS_AS(pool.parallel_for(1, count), wnpu::models::Stopped);
    pool.set_should_stop({});
    n_run = 0;
    pool.parallel_for(100, count);
    CHECK(n_run == 100);
  }
}

TEST_CASE("thread pool: fewer threads than asked for, where the system gives no more") {
  if (!threads_can_be_scarce()) return;
  for (const std::size_t room : {0U, 1U, 3U}) {
    CHECK(holds_with_room_for(room, [room] {
      ThreadPool pool(16);
      std::vector<int> runs(100, 0);
      pool.parallel_for(runs.size(), [&](std::size_t i, std::size_t /*thread*/) { ++runs[i]; });
      return pool.n_threads() == room + 1 && runs == std::vector<int>(runs.size(), 1);
    }));
  }
}
