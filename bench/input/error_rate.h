// Word and character error rates: the fewest substitutions, deletions and insertions that turn the
// reference into the hypothesis, divided by the reference's length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace wnpu::bench {

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

ErrorCounts total(std::span<const ErrorCounts> files);

struct Interval {
  double low = 0;
  double high = 0;
};

// 95 % interval of total(files).rate(): the files drawn again with replacement, 2000 times, the
// same draws for the same seed everywhere. files is not empty.
Interval bootstrap_interval(std::span<const ErrorCounts> files, std::uint64_t seed = 20250625);

}  // namespace wnpu::bench
