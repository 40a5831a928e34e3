// Recordings heard for what they tell of a model: greedily, nothing tried again.
#pragma once

#include <string>

#include "app/engine/whisper_npu.hpp"
#include "app/engine/windows/recognizer.h"

namespace wnpu::app {

// Throws AudioError.
Transcript greedy_transcript(Recognizer& recognizer, const std::string& recording);

// All that is said, with one space between words.
std::string text_of_all(const Transcript& transcript);

}  // namespace wnpu::app
