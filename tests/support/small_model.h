// The smallest model worth writing to a file: one block of 32 a row, the vocabulary's full size.
#pragma once

#include "tests/nano/nano_model.h"

namespace wnpu::tests {

inline models::Dims small_dims() {
  return {.n_mels = 80,
          .n_audio_ctx = 1500,
          .n_audio_state = 32,
          .n_audio_head = 2,
          .n_audio_layer = 2,
          .n_vocab = 51865,
          .n_text_ctx = 448,
          .n_text_state = 32,
          .n_text_head = 4,
          .n_text_layer = 1};
}

// Made once a process.
inline const NanoModel& small_model() {
  static const NanoModel kModel = make_nano_model({.dims = small_dims(), .seed = 7});
  return kModel;
}

}  // namespace wnpu::tests
