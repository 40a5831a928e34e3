// One pool of threads for the whole process; every parallel loop of ours runs on it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace wnpu::models {

class ThreadPool {
 public:
  // A loop body: which iteration, and which of the pool's threads runs it (for scratch memory).
  using Body = std::function<void(std::size_t index, std::size_t thread)>;

  // n_threads >= 1, the calling thread included.
  explicit ThreadPool(std::size_t n_threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  std::size_t n_threads() const { return workers_.size() + 1; }

  // Runs body(0) .. body(n - 1) in no order, and returns when all are done. Which thread runs an
  // iteration is left to chance, so an iteration's result may depend on its index alone. The body
  // must not throw and must not call parallel_for. One caller at a time.
  void parallel_for(std::size_t n, const Body& body);

 private:
  void work(std::size_t thread);
  void run_iterations(std::size_t thread);

  std::vector<std::thread> workers_;
  const Body* body_ = nullptr;
  std::size_t n_ = 0;
  std::atomic<std::size_t> next_{0};          // next iteration to hand out
  std::atomic<std::size_t> busy_{0};          // workers that have not finished this loop
  std::atomic<std::uint32_t> generation_{0};  // counts loops
  std::atomic<bool> stop_{false};
};

}  // namespace wnpu::models
