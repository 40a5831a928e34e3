// A pool of threads for parallel loops. A session has one, each of its device lanes another, and so
// has the loading of a model.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

namespace wnpu::models {

class ThreadPool {
 public:
  // A loop body: which iteration, and which of the pool's threads runs it (for scratch memory).
  using Body = std::function<void(std::size_t index, std::size_t thread)>;

  // n_threads >= 1, the calling thread included. Where the system gives no more threads, it is as
  // many as it gives: results do not depend on that.
  explicit ThreadPool(std::size_t n_threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  std::size_t n_threads() const { return workers_.size() + 1; }

  // Runs body(0) .. body(n - 1) in no order, and returns when all are done. Which thread runs an
  // iteration is left to chance, so an iteration's result may depend on its index alone. Where
  // bodies throw, one of their exceptions is thrown here once no body runs any more; iterations
  // that had not begun are left out. The body must not call parallel_for. One caller at a time.
  // A thread that the system does not run meanwhile is not waited for.
  void parallel_for(std::size_t n, const Body& body);

  // Asked by the caller of parallel_for before each iteration that it runs itself: true ends the
  // loop, and every one after it, with Stopped.
  void set_should_stop(std::function<bool()> should_stop) { should_stop_ = std::move(should_stop); }

 private:
  void work(std::size_t thread);
  bool join();
  void leave();
  void close();
  void run_iterations(std::size_t thread);
  void run(std::size_t index, std::size_t thread) const;
  void fail();

  std::vector<std::thread> workers_;
  std::function<bool()> should_stop_;
  const Body* body_ = nullptr;
  std::size_t n_ = 0;
  std::atomic<std::size_t> next_{0};          // next iteration to hand out
  std::atomic<std::uint32_t> joined_{0};      // workers in this loop, and kOpen: others may join
  std::atomic<std::uint32_t> generation_{0};  // counts loops
  std::atomic<bool> stop_{false};
  std::atomic<bool> has_failed_{false};  // an iteration of this loop
  std::exception_ptr error_;             // of the first that failed
};

}  // namespace wnpu::models
