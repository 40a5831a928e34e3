// Options of openai-whisper, faster-whisper and whisper-ctranslate2 that go by another name here,
// or that are not here.
#pragma once

#include <span>
#include <string_view>

namespace wnpu::app {

struct ForeignOption {
  std::string_view name;    // with dashes: "vad-filter"
  std::string_view ours;    // the option that means the same: "vad"; empty: none
  std::string_view advice;  // where there is none: what to write instead
};

std::span<const ForeignOption> foreign_options();

// nullptr: no such program's option.
const ForeignOption* find_foreign_option(std::string_view name);

}  // namespace wnpu::app
