// WordPattern: the words that one use of a descriptor moves, and their runs in stream order.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "npu/control/buffer_descriptor.h"

namespace wnpu::npu {

struct WordPattern {
  std::size_t memory = 0;   // of ArrayMemory
  std::uint64_t first = 0;  // word of that memory
  std::array<DescriptorDimension, 4> dimensions;
};

// Words that lie one after the other.
struct WordRun {
  std::uint64_t first = 0;
  std::uint64_t words = 0;
};

// The runs of a pattern from any word of its stream on.
class WordRuns {
 public:
  WordRuns(const WordPattern& pattern, std::uint64_t position)
      : dimensions_(pattern.dimensions), address_(pattern.first) {
    const bool is_scattered = dimensions_[0].step > 1;
    outer_ = is_scattered ? 0 : 1;
    run_ = is_scattered ? 1 : dimensions_[0].wrap;  // 0: all
    std::uint64_t rest = position;
    for (std::size_t i = 0; i < dimensions_.size(); ++i) {
      const std::uint64_t wrap = dimensions_[i].wrap;
      at_[i] = wrap == 0 ? rest : rest % wrap;
      address_ += at_[i] * dimensions_[i].step;
      rest = wrap == 0 ? 0 : rest / wrap;
    }
  }

  // At most `words` words.
  WordRun next(std::uint64_t words) {
    const std::uint64_t within = outer_ == 1 ? at_[0] : 0;
    const WordRun run{address_, run_ == 0 ? words : std::min(words, run_ - within)};
    if (run_ != 0 && within + run.words == run_) {
      address_ -= within;
      if (outer_ == 1) at_[0] = 0;
      step();
    } else {
      address_ += run.words;
      at_[0] += run.words;
    }
    return run;
  }

 private:
  void step() {
    for (std::size_t i = outer_; i < dimensions_.size(); ++i) {
      const DescriptorDimension& d = dimensions_[i];
      address_ += d.step;
      if (++at_[i] != d.wrap) return;
      address_ -= std::uint64_t{d.wrap} * d.step;
      at_[i] = 0;
    }
  }

  const std::array<DescriptorDimension, 4>& dimensions_;
  std::uint64_t address_;
  std::uint64_t run_ = 0;
  std::size_t outer_ = 0;  // the first dimension beyond the run
  std::array<std::uint64_t, 4> at_{};
};

}  // namespace wnpu::npu
