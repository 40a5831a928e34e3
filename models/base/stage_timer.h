// Wall-clock time of a scope, added to a stage.
#pragma once

#include <chrono>

namespace wnpu::models {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

class StageTimer {
 public:
  explicit StageTimer(double& stage_s) : stage_s_(stage_s) {}
  ~StageTimer() { stage_s_ += seconds_since(start_); }
  StageTimer(const StageTimer&) = delete;
  StageTimer& operator=(const StageTimer&) = delete;

 private:
  double& stage_s_;
  Clock::time_point start_ = Clock::now();
};

// f(), timed.
template <typename F>
auto timed(double& stage_s, const F& f) {
  const StageTimer timer(stage_s);
  return f();
}

}  // namespace wnpu::models
