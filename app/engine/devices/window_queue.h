// Which of several devices takes the next window, so that all windows are done as soon as can be.
#pragma once

#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <vector>

namespace wnpu::app {

// Windows of one length. A lane is a device that encodes one window at a time. A free lane takes a
// window unless the others, by what a window takes them, would have done all that is left before it
// had done one. With times that hold that is the best schedule there is; a lane that turns out to
// be slower leaves more to the others. Any thread may call; times are seconds of one clock.
class WindowQueue {
 public:
  // window_s: each lane's time for a window, as far as is known; above 0.
  WindowQueue(std::size_t n_windows, const std::vector<double>& window_s);

  // For a lane that is free; none: nothing is left, or the others are sooner done with it.
  std::optional<std::size_t> take(std::size_t lane, double now_s);
  // The lane has done its window; what that took it.
  double finish(std::size_t lane, double now_s);
  // The lane has failed: its window is left to the others, and it takes no more.
  void drop(std::size_t lane);
  // Whether each window was done.
  bool is_done() const;
  // Windows that no lane has taken, or has kept.
  std::vector<std::size_t> left() const;

 private:
  struct Lane {
    double window_s = 0;
    std::optional<std::size_t> window;  // at work on it
    double since_s = 0;                 // when it took it
    bool is_dropped = false;
  };
  struct Outlook {
    double free_at_s;
    double window_s;
  };
  std::vector<Outlook> outlook_at(double now_s) const;
  std::size_t first_to_finish(const std::vector<Outlook>& outlook) const;

  mutable std::mutex mutex_;
  std::deque<std::size_t> left_;  // windows that no lane has taken
  std::vector<Lane> lanes_;
};

}  // namespace wnpu::app
