// The model that seeds are made of.
#pragma once

#include <string>

#include "tests/nano/nano_model.h"

namespace wnpu::fuzz {

// One layer each and the fewest positions there may be; all weights are zeros, which are not
// written out. Quantised rows need a width of 32.
inline tests::NanoModel model_of_zeros(std::size_t width) {
  tests::NanoModel model = tests::make_nano_model({.dims = {.n_mels = 1,
                                                            .n_audio_ctx = 1500,
                                                            .n_audio_state = width,
                                                            .n_audio_head = 1,
                                                            .n_audio_layer = 1,
                                                            .n_vocab = 51864,
                                                            .n_text_ctx = 16,
                                                            .n_text_state = width,
                                                            .n_text_head = 1,
                                                            .n_text_layer = 1}});
  for (auto& [name, tensor] : model.tensors) tensor.values.assign(tensor.values.size(), 0);
  for (std::string& token : model.token_bytes) token.clear();
  return model;
}

}  // namespace wnpu::fuzz
