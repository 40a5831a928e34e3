// How text becomes the lines of subtitles.
#pragma once

#include <cstddef>
#include <optional>

namespace wnpu::app {

// How subtitles are cut where there are word timestamps (openai/whisper SubtitlesWriter); an empty
// optional is openai's None.
struct SubtitleLayout {
  std::optional<std::size_t> max_line_width;      // characters
  std::optional<std::size_t> max_line_count;      // lines a subtitle; needs max_line_width
  std::optional<std::size_t> max_words_per_line;  // no effect with max_line_width
  bool highlight_words = false;                   // underline each word as it is spoken
};

}  // namespace wnpu::app
