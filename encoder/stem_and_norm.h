// Ends of the encoder, before and after its layers, on the CPU for every backend: the stem, which
// makes states of a log-mel window, and the last layer norm.
#pragma once

#include "encoder/stem.h"
#include "models/base/stages.h"
#include "models/base/thread_pool.h"

namespace wnpu::encoder {

class StemAndNorm {
 public:
  // All arguments must outlive it.
  StemAndNorm(const PackedStemAndNorm& ends, models::ThreadPool& pool);

  // states = stem(mel): [n_audio_ctx, n_audio_state], the first layer's input; allocated anew where
  // the shape differs. Throws std::invalid_argument unless mel is [n_mels, 2 n_audio_ctx].
  void begin(const models::LogMel& mel, models::EncoderStates& states);
  // states = the last layer norm of them, in place; any number of rows.
  void end(models::EncoderStates& states);

 private:
  const PackedStemAndNorm& ends_;
  models::ThreadPool& pool_;
  Stem stem_;
};

}  // namespace wnpu::encoder
