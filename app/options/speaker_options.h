// Options that say who speaks.
#pragma once

#include <CLI/CLI.hpp>

#include "app/engine/whisper_npu.hpp"

namespace wnpu::app {

// --speakers, --speaker-names, --speaker-model: told apart by voice.
void add_voice_options(CLI::App& app, SpeakerOptions& speakers);
// These, and --channels.
void add_speaker_options(CLI::App& app, TranscribeOptions& transcribe);

}  // namespace wnpu::app
