// Frames of log10 mel power as they come out of a LogMelStream, in chunks; the front can be
// dropped.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <span>

#include "models/base/tensor.h"

namespace wnpu::audio {

class MelFrames {
 public:
  explicit MelFrames(std::size_t n_mels) : n_mels_(n_mels) {}

  std::size_t begin() const { return begin_; }  // the frames held are begin() .. end()
  std::size_t end() const { return end_; }
  std::size_t bytes() const;

  // Room for the next kGroupFrames frames: [n_mels, kGroupFrames], to be filled by the caller.
  models::MatrixView append_group();
  // Frees what lies before `frame`, in whole chunks.
  void drop_before(std::size_t frame);

  // Calls f(piece, position) for mel `m` of the frames first .. first + count, in pieces that lie
  // together; position counts from 0 at `first`. All of them must be held.
  template <typename F>
  void for_each_piece(std::size_t m, std::size_t first, std::size_t count, F f) const;

 private:
  static constexpr std::size_t kChunkFrames = 512;  // a multiple of kGroupFrames

  std::size_t n_mels_;
  std::size_t begin_ = 0;  // a multiple of kChunkFrames
  std::size_t end_ = 0;
  std::deque<models::Matrix> chunks_;  // [n_mels, kChunkFrames] each
};

template <typename F>
void MelFrames::for_each_piece(std::size_t m, std::size_t first, std::size_t count, F f) const {
  for (std::size_t done = 0; done < count;) {
    const std::size_t at = first + done - begin_;
    const std::size_t in_chunk = at % kChunkFrames;
    const std::size_t n = std::min(count - done, kChunkFrames - in_chunk);
    f(chunks_[at / kChunkFrames].row(m).subspan(in_chunk, n), done);
    done += n;
  }
}

}  // namespace wnpu::audio
