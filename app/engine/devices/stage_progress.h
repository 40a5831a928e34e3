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

  // While it lives the stage is at work; then it does nothing more, whatever ended it.
  class End {
   public:
    End(StageProgress& progress, std::size_t stage) : progress_(progress), stage_(stage) {}
    ~End() { progress_.end(stage_); }
    End(const End&) = delete;
    End& operator=(const End&) = delete;

   private:
    StageProgress& progress_;
    std::size_t stage_;
  };

  // Waits until `window` has passed the stage before; false: it will not, for that has ended. The
  // first stage takes none once a later one has ended, which is to say failed.
  bool wait_for(std::size_t stage, std::size_t window) {
    std::unique_lock lock(mutex_);
    if (stage == 0) return n_ended_ == 0;
    const Stage& before = stages_[stage - 1];
    changed_.wait(lock, [&] { return before.n_passed > window || before.has_ended; });
    return before.n_passed > window;
  }
  void pass(std::size_t stage) {
    const std::lock_guard lock(mutex_);
    ++stages_[stage].n_passed;
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
  void end(std::size_t stage) {
    const std::lock_guard lock(mutex_);
    stages_[stage].has_ended = true;
    ++n_ended_;
    changed_.notify_all();
  }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Stage> stages_;
  std::size_t n_ended_ = 0;
};

}  // namespace wnpu::app
