// Spans of time, by when they are: turns of speakers, words.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace wnpu::app {

// Spans in the order of their begins.
class TimeIndex {
 public:
  // Seconds. A span begins no sooner than the one before it; it is taken so if it does.
  void add(double begin, double end) {
    begins_.push_back(begins_.empty() ? begin : std::max(begins_.back(), begin));
    last_ends_.push_back(last_ends_.empty() ? end : std::max(last_ends_.back(), end));
  }

  // Numbers, the end not included, among which are all spans that overlap begin .. end, and few
  // others.
  std::pair<std::size_t, std::size_t> around(double begin, double end) const {
    const auto first = std::ranges::upper_bound(last_ends_, begin) - last_ends_.begin();
    const auto last = std::ranges::lower_bound(begins_, end) - begins_.begin();
    return {static_cast<std::size_t>(first), static_cast<std::size_t>(std::max(first, last))};
  }

 private:
  std::vector<double> begins_;
  std::vector<double> last_ends_;  // latest so far
};

}  // namespace wnpu::app
