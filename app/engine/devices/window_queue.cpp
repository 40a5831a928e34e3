#include "app/engine/devices/window_queue.h"

#include <algorithm>
#include <limits>

namespace wnpu::app {

WindowQueue::WindowQueue(std::size_t n_windows, const std::vector<double>& window_s) {
  for (std::size_t i = 0; i < n_windows; ++i) left_.push_back(i);
  for (const double seconds : window_s) lanes_.emplace_back().window_s = seconds;
}

// The lane that would be the first to have done one window more.
std::size_t WindowQueue::first_to_finish(const std::vector<Outlook>& outlook) const {
  std::size_t first = 0;
  double soonest = std::numeric_limits<double>::infinity();
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
    const double finished = outlook[lane].free_at_s + outlook[lane].window_s;
    if (lanes_[lane].is_dropped || finished >= soonest) continue;
    soonest = finished;
    first = lane;
  }
  return first;
}

// A window that takes longer than was known is the best that is known of the lane.
std::vector<WindowQueue::Outlook> WindowQueue::outlook_at(double now_s) const {
  std::vector<Outlook> outlook;
  for (const Lane& lane : lanes_) {
    const double at_work_s = lane.window ? now_s - lane.since_s : 0;
    const double window_s = std::max(lane.window_s, at_work_s);
    outlook.push_back({lane.window ? lane.since_s + window_s : now_s, window_s});
  }
  return outlook;
}

std::optional<std::size_t> WindowQueue::take(std::size_t lane, double now_s) {
  const std::lock_guard lock(mutex_);
  std::vector<Outlook> outlook = outlook_at(now_s);
  for (std::size_t i = 0; i < left_.size(); ++i) {
    const std::size_t first = first_to_finish(outlook);
    outlook[first].free_at_s += outlook[first].window_s;
    if (first != lane) continue;
    lanes_[lane].window = left_.front();
    lanes_[lane].since_s = now_s;
    left_.pop_front();
    return lanes_[lane].window;
  }
  return std::nullopt;
}

double WindowQueue::finish(std::size_t lane, double now_s) {
  const std::lock_guard lock(mutex_);
  Lane& finished = lanes_[lane];
  finished.window.reset();
  finished.window_s = std::max(now_s - finished.since_s, 1e-9);
  return finished.window_s;
}

void WindowQueue::drop(std::size_t lane) {
  const std::lock_guard lock(mutex_);
  Lane& dropped = lanes_[lane];
  if (dropped.window) left_.push_front(*dropped.window);
  dropped.window.reset();
  dropped.is_dropped = true;
}

bool WindowQueue::is_done() const {
  const std::lock_guard lock(mutex_);
  return left_.empty() &&
         std::ranges::none_of(lanes_, [](const Lane& lane) { return lane.window.has_value(); });
}

std::vector<std::size_t> WindowQueue::left() const {
  const std::lock_guard lock(mutex_);
  return {left_.begin(), left_.end()};
}

}  // namespace wnpu::app
