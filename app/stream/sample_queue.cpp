#include "app/stream/sample_queue.h"

#include <algorithm>
#include <utility>

namespace wnpu::app {

bool SampleQueue::push(std::span<const std::int16_t> samples) {
  std::unique_lock lock(mutex_);
  while (!samples.empty()) {
    changed_.wait(lock, [this] { return is_closed_ || samples_.size() < most_; });
    if (is_closed_) return false;
    const std::size_t n = std::min(samples.size(), most_ - samples_.size());
    samples_.insert(samples_.end(), samples.begin(),
                    samples.begin() + static_cast<std::ptrdiff_t>(n));
    samples = samples.subspan(n);
    changed_.notify_all();
  }
  return true;
}

void SampleQueue::end(std::exception_ptr error) {
  const std::scoped_lock lock(mutex_);
  is_ended_ = true;
  error_ = std::move(error);
  changed_.notify_all();
}

void SampleQueue::close() {
  const std::scoped_lock lock(mutex_);
  is_closed_ = true;
  changed_.notify_all();
}

std::optional<std::vector<std::int16_t>> SampleQueue::take(std::size_t n,
                                                           std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  const bool is_there =
      changed_.wait_for(lock, patience, [this, n] { return is_ended_ || samples_.size() >= n; });
  if (!is_there) return std::nullopt;
  return first(n);
}

void SampleQueue::check() const {
  const std::scoped_lock lock(mutex_);
  if (error_) std::rethrow_exception(error_);
}

std::vector<std::int16_t> SampleQueue::take_rest(std::size_t n) {
  const std::scoped_lock lock(mutex_);
  return first(n);
}

std::size_t SampleQueue::size() const {
  const std::scoped_lock lock(mutex_);
  return samples_.size();
}

std::vector<std::int16_t> SampleQueue::first(std::size_t n) {
  const auto end = samples_.begin() + static_cast<std::ptrdiff_t>(std::min(n, samples_.size()));
  std::vector<std::int16_t> taken(samples_.begin(), end);
  samples_.erase(samples_.begin(), end);
  changed_.notify_all();
  return taken;
}

}  // namespace wnpu::app
