// Options that say who speaks.
#pragma once

#include <CLI/CLI.hpp>

#include "app/engine/whisper_npu.hpp"

namespace wnpu::app {

void add_speaker_options(CLI::App& app, TranscribeOptions& transcribe);

}  // namespace wnpu::app
