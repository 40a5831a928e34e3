// Repair of text that tokens may have cut in the middle of a character.
#pragma once

#include <string>
#include <string_view>

namespace wnpu::models {

// Replaces every maximal ill-formed part by U+FFFD, as Unicode 15 section 3.9 (table 3-8)
// recommends and as Python's bytes.decode("utf-8", errors="replace") does in openai/whisper.
std::string repair_utf8(std::string_view bytes);

}  // namespace wnpu::models
