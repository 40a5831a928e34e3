// Word and character error rates: the fewest substitutions, deletions and insertions that turn the
// reference into the hypothesis, divided by the reference's length.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace wnpu::app {

struct ErrorCounts {
  std::size_t substitutions = 0;
  std::size_t deletions = 0;
  std::size_t insertions = 0;
  std::size_t reference = 0;  // words or characters of the reference

  std::size_t errors() const { return substitutions + deletions + insertions; }
  // 1 is 100 %; may be larger. An empty reference counts as one unit.
  double rate() const;

  ErrorCounts& operator+=(const ErrorCounts& other);
  bool operator==(const ErrorCounts&) const = default;
};

// Both texts are normalised UTF-8; spaces at the ends and repeated do not count.
ErrorCounts count_word_errors(std::string_view reference, std::string_view hypothesis);
ErrorCounts count_character_errors(std::string_view reference, std::string_view hypothesis);

// The text in lower case, with nothing but words: each character that is neither letter, digit nor
// apostrophe is a space between them; apostrophes at the ends of words are none.
std::string plain_words(std::string_view text);

}  // namespace wnpu::app
