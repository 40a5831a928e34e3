// Begin and end of words, nearer than cross-attention tells.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "models/base/dims.h"
#include "models/base/stages.h"

namespace wnpu::app {

// Seconds by which the attention of a model's alignment heads is behind the sound: of tiny.en and
// base, by forced alignment of phones (bench/align.py, bench/results/align.md); 0 for others.
double attention_lag(const models::Dims& dims);

// Frames of a window that hold sound, others being silence between words.
class Sound {
 public:
  // Takes the first n_frames of the log-mel [n_mels, 3000].
  void hear(const models::LogMel& mel, std::size_t n_frames);
  // Longest part of the frames first .. end - 1 without long silence; all of them, where all is
  // silent.
  std::pair<std::size_t, std::size_t> of(std::size_t first, std::size_t end) const;
  // Frames with sound among first .. end - 1.
  std::size_t count(std::size_t first, std::size_t end) const;

 private:
  std::vector<bool> is_loud_;
};

}  // namespace wnpu::app
