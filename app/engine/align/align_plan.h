// A given text beside what was heard: which parts are the same, and windows in which their times
// are to be found.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/engine/align/given_text.h"

namespace wnpu::app {

// A word of the first pass, whose times are near.
struct HeardWord {
  std::string text;
  std::string key;
  double start = 0;  // seconds of the file
  double end = 0;
};

// Places first .. end - 1.
struct Places {
  std::size_t first = 0;
  std::size_t end = 0;

  std::size_t size() const { return end - first; }
};

// A word that was heard as it is given, or nearly; or what is between two such, where the text says
// one thing and what was heard another.
struct Part {
  Places given;
  Places heard;
  double start = 0;  // near; seconds of the file
  double end = 0;
  double heard_at = 0;  // where what was heard of it begins, else `start`
  bool is_anchor = false;
  bool is_said = true;    // the given words are
  bool is_extra = false;  // the heard words are beside those given, not in their place
};

// All of both in order.
std::vector<Part> aligned_parts(std::span<const GivenWord> given, std::span<const HeardWord> heard,
                                bool is_unspaced, double duration_s);

// Parts that one window of 30 s holds: those before `kept_first` are there for the sake of the
// others, those from `kept_end` on come again in the next.
struct PartWindow {
  std::size_t first = 0;
  std::size_t kept_first = 0;
  std::size_t kept_end = 0;
  std::size_t end = 0;
  double start = 0;      // seconds of the file
  double sound_end = 0;  // where what follows begins
};

// A window in which words were heard, in seconds of the file.
struct HeardStretch {
  double start = 0;
  double end = 0;        // where the next window begins
  double sound_end = 0;  // of its audio
};

// The window whose first new part is `kept_first`, with at most `most_tokens`: a heard one that
// has it and none of the parts before it, else one that begins with it.
PartWindow window_at(std::size_t kept_first, std::span<const Part> parts,
                     std::span<const GivenWord> given, std::size_t most_tokens,
                     std::span<const HeardStretch> heard);

}  // namespace wnpu::app
