// The engine's Audio as the reader of audio takes it.
#pragma once

#include <string>

#include "app/engine/whisper_npu.hpp"
#include "audio/mel/mel_source.h"
#include "audio/read/input.h"

namespace wnpu::app {

// Throws AudioError for a raw format that does not exist.
audio::Input input_of(const Audio& audio);

// For messages: its name, else the path, or "memory".
std::string name_of(const Audio& audio);
std::string name_of(const audio::Input& input);

// Copies facts of the audio into a transcript: input, warnings, and the times of reading.
void describe_audio(const audio::MelSource& mel, const audio::Input& input, Transcript& transcript);

}  // namespace wnpu::app
