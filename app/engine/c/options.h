// The caller's structs of whisper_npu.h: their defaults, and what they say to the engine.
#pragma once

#include <cstddef>

#include "app/engine/whisper_npu.h"
#include "app/engine/whisper_npu.hpp"

namespace wnpu::c {

// Fills the first `size` bytes with the defaults of the engine's structs. Throw Error(usage) for
// NULL or a size that no version has.
void init(whisper_npu_model_options* options, std::size_t size);
void init(whisper_npu_audio* audio, std::size_t size);
void init(whisper_npu_transcribe_options* options, std::size_t size);
void init(whisper_npu_callbacks* callbacks, std::size_t size);

// NULL, and fields beyond the struct's size, are the defaults; for audio, NULL is refused. Throw
// Error(usage) also for what no version of the struct is, and for values that have no place in the
// engine's struct.
ModelOptions to_engine(const whisper_npu_model_options* options);
Audio to_engine(const whisper_npu_audio* audio);  // whose memory it points to
TranscribeOptions to_engine(const whisper_npu_transcribe_options* options);
whisper_npu_callbacks whole(const whisper_npu_callbacks* callbacks);

}  // namespace wnpu::c
