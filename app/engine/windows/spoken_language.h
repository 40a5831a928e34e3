// Text about the language of a recording, for messages.
#pragma once

#include <string>
#include <string_view>

#include "app/engine/whisper_npu.hpp"

namespace wnpu::app {

using LanguageProbs = decltype(Transcript::language_probs);

// "german" for "de"; empty: no language of Whisper's.
std::string_view language_name(std::string_view code);

// "German (de), probability 0.97", of language_probs, which are not empty.
std::string described(const LanguageProbs& probs);

// "0.97", "-1.20"
std::string two_digits(double value);

}  // namespace wnpu::app
