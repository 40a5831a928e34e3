// Cuts text into the pieces that byte-level BPE merges within: GPT-2's pattern on Unicode letters
// and numbers.
#pragma once

#include <string_view>
#include <vector>

namespace wnpu::models {

// Views into `utf8`, in order, without gaps. `utf8` must be valid UTF-8.
std::vector<std::string_view> pre_tokenize(std::string_view utf8);

}  // namespace wnpu::models
