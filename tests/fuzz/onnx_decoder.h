// The model that the fuzzer's encoders go with, so small that a graph has 10 KB.
#pragma once

#include "tests/nano/nano_model.h"

namespace wnpu::fuzz {

inline tests::NanoModel decoder_of_encoders() {
  tests::NanoModel model = tests::make_nano_model({.dims = {.n_mels = 2,
                                                            .n_audio_ctx = 4,
                                                            .n_audio_state = 4,
                                                            .n_audio_head = 2,
                                                            .n_audio_layer = 1,
                                                            .n_vocab = 51864,
                                                            .n_text_ctx = 4,
                                                            .n_text_state = 4,
                                                            .n_text_head = 2,
                                                            .n_text_layer = 1}});
  model.token_bytes.clear();
  return model;
}

}  // namespace wnpu::fuzz
