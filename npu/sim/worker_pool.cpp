#include "npu/sim/worker_pool.h"

#include <utility>

namespace wnpu::npu {

WorkerPool::WorkerPool(int threads) {
  try {
    for (int i = 1; i < threads; ++i) threads_.emplace_back([this] { work(); });
  } catch (const std::exception&) {
    // No more threads, or no memory for one: those that run are enough.
  }
}

WorkerPool::~WorkerPool() {
  {
    const std::lock_guard lock(mutex_);
    is_closing_ = true;
  }
  has_work_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void WorkerPool::submit(Job& job) {
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(&job);  // may throw: the job is not waited for then
    job.is_done = false;
  }
  if (!threads_.empty()) has_work_.notify_one();
}

void WorkerPool::wait(Job& job) {
  std::unique_lock lock(mutex_);
  while (!job.is_done) {
    if (queue_.empty()) {
      has_result_.wait(lock);
    } else {
      run_front(lock);
    }
  }
  if (job.error) std::rethrow_exception(std::exchange(job.error, nullptr));
}

void WorkerPool::run_front(std::unique_lock<std::mutex>& lock) {
  Job& job = *queue_.front();
  queue_.pop_front();
  lock.unlock();
  std::exception_ptr error;
  try {
    job.work();
  } catch (...) {
    error = std::current_exception();  // rethrown to whoever waits
  }
  lock.lock();
  job.error = error;
  job.is_done = true;
  if (!threads_.empty()) has_result_.notify_all();
}

void WorkerPool::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    has_work_.wait(lock, [this] { return is_closing_ || !queue_.empty(); });
    if (is_closing_) return;
    run_front(lock);
  }
}

}  // namespace wnpu::npu
