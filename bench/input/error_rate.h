// Error rates of a corpus (app/jobs/manifest/word_errors.h), and how sure they are.
#pragma once

#include <cstdint>
#include <span>

#include "app/jobs/manifest/word_errors.h"

namespace wnpu::bench {

using app::count_character_errors;
using app::count_word_errors;
using app::ErrorCounts;

ErrorCounts total(std::span<const ErrorCounts> files);

struct Interval {
  double low = 0;
  double high = 0;
};

// 95 % interval of total(files).rate(): the files drawn again with replacement, 2000 times, the
// same draws for the same seed everywhere. files is not empty.
Interval bootstrap_interval(std::span<const ErrorCounts> files, std::uint64_t seed = 20250625);

}  // namespace wnpu::bench
