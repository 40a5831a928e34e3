// Text as people count it: grapheme clusters (Unicode UAX 29), and the columns that they take.
#pragma once

#include <cstddef>
#include <string_view>

namespace wnpu::models {

// Writing that subtitles treat in a way of its own.
enum class Writing { other, han, kana, hangul, right_to_left };

// A character as it is seen: a letter with its marks, a flag, a family of emoji.
struct Cluster {
  std::string_view text;
  std::size_t columns = 1;  // 2: full-width (UAX 11: W or F, or shown as an emoji); 0: not seen
  Writing writing = Writing::other;
};

// The cluster that begins at byte `at` of valid UTF-8, where one does; `at` is below its size. It
// lies in `text`, and is not empty.
Cluster cluster_at(std::string_view text, std::size_t at);

}  // namespace wnpu::models
