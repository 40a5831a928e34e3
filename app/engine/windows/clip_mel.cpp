#include "app/engine/windows/clip_mel.h"

#include <algorithm>

#include "models/base/stage_timer.h"

namespace wnpu::app {

// Shifts the matrix instead of loading it again if the rest of the clip lies within the 30 s loaded
// last: in a long file, reading backwards means decoding the audio from its start.
const models::LogMel& ClipMel::load(audio::MelSource& source, const decoder::Window& window,
                                    std::size_t clip_end, bool pools_padding, double& mel_s) {
  const bool holds_rest = start_ && clip_end <= *start_ + audio::kWindowFrames;
  if (!holds_rest) {
    source.window(window.seek, mel_);
    start_ = window.seek;
  }
  models::StageTimer timer(mel_s);
  const std::size_t shift = window.seek - *start_;
  start_ = window.seek;
  for (std::size_t m = 0; m < mel_.values.rows(); ++m) {
    const auto row = mel_.values.row(m);
    std::shift_left(row.begin(), row.end(), static_cast<std::ptrdiff_t>(shift));
    std::ranges::fill(row.subspan(window.size), 0.0F);
  }
  mel_.poolable_from = pools_padding ? std::optional(window.size) : std::nullopt;
  return mel_;
}

}  // namespace wnpu::app
