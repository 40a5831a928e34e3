// The numbers of Dims by their names, for files that name them.
#pragma once

#include <array>
#include <cstddef>

#include "models/base/dims.h"

namespace wnpu::models {

struct DimName {
  const char* name;
  std::size_t Dims::*extent;
};

// In the order of openai/whisper model.py ModelDimensions.
inline constexpr std::array<DimName, 10> kDimNames{{{"n_mels", &Dims::n_mels},
                                                    {"n_audio_ctx", &Dims::n_audio_ctx},
                                                    {"n_audio_state", &Dims::n_audio_state},
                                                    {"n_audio_head", &Dims::n_audio_head},
                                                    {"n_audio_layer", &Dims::n_audio_layer},
                                                    {"n_vocab", &Dims::n_vocab},
                                                    {"n_text_ctx", &Dims::n_text_ctx},
                                                    {"n_text_state", &Dims::n_text_state},
                                                    {"n_text_head", &Dims::n_text_head},
                                                    {"n_text_layer", &Dims::n_text_layer}}};

}  // namespace wnpu::models
