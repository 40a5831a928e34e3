// Summary of a run over a manifest.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "app/jobs/manifest/word_errors.h"

namespace wnpu::app {

struct Summary {
  std::size_t n_ok = 0;
  std::size_t n_failed = 0;
  std::size_t n_earlier = 0;  // of both, that an earlier run has done
  double audio_s = 0;
  double wall_s = 0;  // of this run
  // Rows that are ok and have a text with a word in it, to compare with: by words, or by characters
  // where the language is written without spaces and the text is not in ASCII (a translation).
  std::size_t n_compared = 0;
  ErrorCounts words;
  std::size_t n_compared_by_character = 0;
  ErrorCounts characters;

  // A result: its fields, and its row's text.
  void add(const nlohmann::ordered_json& fields, const std::optional<std::string>& text);
};

// By summary.schema.json.
std::string summary_json(const Summary& summary);
// One line, for people.
std::string summary_text(const Summary& summary);

}  // namespace wnpu::app
