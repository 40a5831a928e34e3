#include "models/base/thread_pool.h"

#include <cassert>
#include <exception>
#include <utility>

#include "models/base/error.h"

namespace wnpu::models {
namespace {

// A decoder step has some forty short loops a few microseconds apart: spinning that long is cheaper
// than a futex wake-up (about 50 us on a virtual machine), and longer would burn an idle core.
constexpr int kSpins = 2000;

// A loop that may be joined.
constexpr std::uint32_t kOpen = 1U << 31U;

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace

ThreadPool::ThreadPool(std::size_t n_threads) {
  assert(n_threads >= 1);
  workers_.reserve(n_threads - 1);
  const auto start = [this](std::size_t thread) {
    workers_.emplace_back([this, thread] { work(thread); });
  };
  try {
    for (std::size_t thread = 1; thread < n_threads; ++thread) start(thread);
  } catch (const std::exception&) {
    // No more threads, or no memory for one: those that run are enough.
  }
}

ThreadPool::~ThreadPool() {
  stop_ = true;
  ++generation_;
  generation_.notify_all();
  for (auto& worker : workers_) worker.join();
}

void ThreadPool::parallel_for(std::size_t n, const Body& body) {
  body_ = &body;
  if (workers_.empty() || n <= 1) {
    for (std::size_t i = 0; i < n; ++i) run(i, 0);
    return;
  }
  n_ = n;
  next_ = 0;
  joined_ = kOpen;
  ++generation_;
  generation_.notify_all();
  run_iterations(0);
  close();
  if (has_failed_.exchange(false)) std::rethrow_exception(std::exchange(error_, nullptr));
}

// False: the loop is over.
bool ThreadPool::join() {
  for (std::uint32_t joined = joined_; (joined & kOpen) != 0;) {
    if (joined_.compare_exchange_weak(joined, joined + 1)) return true;
  }
  return false;
}

void ThreadPool::leave() {
  if (--joined_ == 0) joined_.notify_one();
}

// Ends the loop once those that have joined it have left.
void ThreadPool::close() {
  joined_ &= ~kOpen;
  for (int spin = 0; joined_ != 0 && spin < kSpins; ++spin) relax();
  for (auto joined = joined_.load(); joined != 0; joined = joined_.load()) joined_.wait(joined);
}

void ThreadPool::run_iterations(std::size_t thread) {
  try {
    for (std::size_t i = next_++; i < n_; i = next_++) run(i, thread);
  } catch (...) {
    fail();
  }
}

void ThreadPool::run(std::size_t index, std::size_t thread) const {
  if (thread == 0 && should_stop_ && should_stop_()) throw Stopped();
  (*body_)(index, thread);
}

// Keeps the exception that is being handled for the caller, unless there is one already, and leaves
// no iteration to begin.
void ThreadPool::fail() {
  if (!has_failed_.exchange(true)) error_ = std::current_exception();
  next_ = n_;
}

void ThreadPool::work(std::size_t thread) {
  for (std::uint32_t seen = 0;;) {
    for (int spin = 0; generation_ == seen && spin < kSpins; ++spin) relax();
    generation_.wait(seen);
    if (stop_) return;
    seen = generation_;
    if (!join()) continue;
    run_iterations(thread);
    leave();
  }
}

}  // namespace wnpu::models
