#include "app/engine/speakers/segment_cut.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

namespace wnpu::app {
namespace {

// Tokens behind the first n of text, of which there may be fewer: timestamps go with what is before
// them.
std::size_t tokens_end(std::span<const models::TokenId> tokens, std::size_t n,
                       models::TokenId eot) {
  std::size_t at = 0;
  while (at < tokens.size() && (n > 0 || tokens[at] >= eot)) n -= tokens[at++] < eot ? 1 : 0;
  return at;
}

}  // namespace

bool is_of_words(const decoder::Segment& segment) {
  std::string text;
  for (const decoder::Word& word : segment.words) text += word.text;
  return !segment.words.empty() && text == segment.text;
}

std::vector<decoder::Segment> cut_segment(decoder::Segment segment,
                                          std::span<const std::size_t> cuts, models::TokenId eot) {
  std::vector<decoder::Segment> pieces;
  std::span<const models::TokenId> tokens = segment.tokens;
  const std::size_t n_words = segment.words.size();
  double begin = segment.start;
  for (std::size_t i = 0, first = 0; i <= cuts.size(); ++i) {
    const bool is_last = i == cuts.size();
    const std::size_t end = is_last ? n_words : cuts[i];
    decoder::Segment& piece = pieces.emplace_back(segment);
    piece.text.clear();
    piece.words.clear();
    std::size_t n_tokens = 0;
    for (; first < end; ++first) {
      decoder::Word& word = segment.words[first];
      piece.text += word.text;
      n_tokens += word.n_tokens;
      piece.words.push_back(std::move(word));
    }
    const std::size_t n = is_last ? tokens.size() : tokens_end(tokens, n_tokens, eot);
    piece.tokens.assign(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(n));
    tokens = tokens.subspan(n);
    piece.start = begin;
    if (is_last) break;
    piece.end = std::clamp(piece.words.back().end, begin, std::max(begin, segment.end));
    begin = std::clamp(segment.words[first].start, piece.start, std::max(begin, segment.end));
  }
  return pieces;
}

}  // namespace wnpu::app
