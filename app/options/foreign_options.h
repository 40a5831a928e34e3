// Options of openai-whisper, faster-whisper, whisper-ctranslate2 and whisper.cpp that go by another
// name here, or that are not here.
#pragma once

#include <span>
#include <string_view>

namespace wnpu::app {

struct ForeignOption {
  std::string_view name;        // with dashes: "vad-filter"
  std::string_view ours;        // the option that means the same: "vad"; empty: none
  std::string_view advice;      // where there is none: what to write instead
  std::string_view value = {};  // of ours, where the other program's has none
};

std::span<const ForeignOption> foreign_options();

// nullptr: no such program's option.
const ForeignOption* find_foreign_option(std::string_view name);

// "--threads" for "-t", "--translate" for "-tr": the long name of whisper.cpp's short one. Empty:
// it has no such option, or it is one of ours.
std::string_view long_name_of(std::string_view word);

// Advice for -o with letters glued to it: the option to write instead, if that is a flag of
// whisper.cpp (-osrt, -oj) or the name of a format; "": it is neither.
std::string_view advice_for_glued_output(std::string_view letters);

}  // namespace wnpu::app
