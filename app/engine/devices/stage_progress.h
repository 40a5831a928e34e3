// How far each stage of a pipeline is: which windows the next may take.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <vector>

namespace wnpu::app {

// Any thread may call. Windows pass in order.
class StageProgress {
 public:
  explicit StageProgress(std::size_t n_stages) : stages_(n_stages) {}

  // Waits until `window` has passed all stages before this one; false: it will not, for one of them
  // has ended. Nobody waits once a stage has failed.
  bool wait_for(std::size_t stage, std::size_t window) {
    if (stage == 0) {
      const std::lock_guard lock(mutex_);
      return !has_failed_;
    }
    const Stage& before = stages_[stage - 1];
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return before.n_passed > window || before.has_ended; });
    return before.n_passed > window;
  }
  void pass(std::size_t stage) {
    const std::lock_guard lock(mutex_);
    ++stages_[stage].n_passed;
    changed_.notify_all();
  }
  // The stage does nothing more: it is done, or it has failed.
  void end(std::size_t stage, bool has_failed) {
    const std::lock_guard lock(mutex_);
    stages_[stage].has_ended = true;
    has_failed_ = has_failed_ || has_failed;
    changed_.notify_all();
  }
  std::size_t n_passed_all() const {
    const std::lock_guard lock(mutex_);
    return stages_.back().n_passed;
  }

 private:
  struct Stage {
    std::size_t n_passed = 0;
    bool has_ended = false;
  };
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Stage> stages_;
  bool has_failed_ = false;
};

}  // namespace wnpu::app
