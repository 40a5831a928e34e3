// Runs tile kernels on host threads. Each job is waited for by the thread that gave it, which
// meanwhile works on the queue itself; so one thread is enough, and results cannot depend on how
// many there are.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace wnpu::npu {

class WorkerPool {
 public:
  // A piece of work that is submitted again and again; outlives every submission.
  struct Job {
    std::function<void()> work;
    bool is_done = true;
    std::exception_ptr error;
  };

  // `threads` counts the submitting thread; at least 1. Fewer where the system gives no more.
  explicit WorkerPool(int threads);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  void submit(Job& job);
  // Returns when `job` is done; rethrows what its work threw.
  void wait(Job& job);

 private:
  void run_front(std::unique_lock<std::mutex>& lock);
  void work();

  std::mutex mutex_;
  std::condition_variable has_work_;
  std::condition_variable has_result_;
  std::deque<Job*> queue_;
  bool is_closing_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace wnpu::npu
