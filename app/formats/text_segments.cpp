#include "app/formats/text_segments.h"

#include <algorithm>

#include "models/base/utf8.h"

namespace wnpu::app {
namespace {

constexpr std::size_t kLongLine = 200;      // characters
constexpr std::size_t kShortSentence = 20;  // is not alone

bool is_among(std::string_view character, std::string_view characters) {
  return characters.find(character) != std::string_view::npos;
}

// End of the sentence that the line begins with, in bytes.
std::size_t sentence_end(std::string_view line) {
  std::size_t at = 0;
  bool has_mark = false;
  for (std::size_t n = 0; at < line.size(); ++n) {
    const std::string_view character = models::first_characters(line.substr(at), 1);
    const bool is_wide = is_among(character, "。！？");
    const bool ends = has_mark && !is_wide && !is_among(character, ".!?…\"'”’」』）)]");
    const bool at_space = models::leading_space(character) > 0;
    const bool behind_wide = at >= 3 && is_among(line.substr(at - 3, 3), "。！？」』）");
    if (ends && n >= kShortSentence && (at_space || behind_wide)) return at;
    has_mark = is_wide || is_among(character, ".!?…") || (has_mark && !ends);
    at += character.size();
  }
  return at;
}

}  // namespace

std::vector<std::string> segments_of_text(std::string_view text) {
  std::vector<std::string> segments;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
    std::string_view line = models::strip(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    const bool is_long = models::count_characters(line) > kLongLine;
    while (!line.empty()) {
      const std::size_t size = is_long ? sentence_end(line) : line.size();
      segments.emplace_back(models::strip(line.substr(0, size)));
      line = models::strip(line.substr(size));
    }
  }
  return segments;
}

}  // namespace wnpu::app
