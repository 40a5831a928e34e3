#include "audio/mel/mel_frames.h"

#include "audio/mel/mel_kernel.h"

namespace wnpu::audio {

std::size_t MelFrames::bytes() const {
  return chunks_.size() * n_mels_ * kChunkFrames * sizeof(float);
}

models::MatrixView MelFrames::append_group() {
  static_assert(kChunkFrames % kGroupFrames == 0);
  const std::size_t in_chunk = end_ % kChunkFrames;
  if (in_chunk == 0) chunks_.emplace_back(n_mels_, kChunkFrames);
  end_ += kGroupFrames;
  return chunks_.back().view().col_range(in_chunk, kGroupFrames);
}

void MelFrames::drop_before(std::size_t frame) {
  while (!chunks_.empty() && begin_ + kChunkFrames <= std::min(frame, end_)) {
    chunks_.pop_front();
    begin_ += kChunkFrames;
  }
}

}  // namespace wnpu::audio
