#include "app/engine/align/given_text.h"

#include <algorithm>
#include <utility>

#include "decoder/text/word_timestamps.h"
#include "models/base/letters.h"
#include "models/base/utf8.h"
#include "models/text/word_split.h"

namespace wnpu::app {
namespace {

using decoder::WordTiming;

// With one character for each run of white space, "\n" where it has a newline.
std::string with_single_spaces(std::string_view text) {
  std::string single;
  while (!text.empty()) {
    const std::size_t space = models::leading_space(text);
    if (space > 0) {
      single += text.substr(0, space).find('\n') == std::string_view::npos ? ' ' : '\n';
      text.remove_prefix(space);
      continue;
    }
    const std::string_view character = models::first_characters(text, 1);
    single += character;
    text.remove_prefix(character.size());
  }
  return single;
}

std::vector<WordTiming> pieces_of(const std::string& line, const models::Vocabulary& vocabulary,
                                  std::string_view language) {
  std::vector<WordTiming> pieces;
  for (auto& piece : models::split_to_words(vocabulary, vocabulary.encode(line), language))
    pieces.push_back({std::move(piece.text), std::move(piece.tokens)});
  return pieces;
}

std::vector<std::string> merged_texts(std::vector<WordTiming> pieces, const Marks& marks) {
  decoder::merge_punctuation(pieces, {std::string(marks.prepend), std::string(marks.append)});
  std::vector<std::string> texts;
  for (WordTiming& piece : pieces)
    if (!piece.word.empty()) texts.push_back(std::move(piece.word));
  return texts;
}

}  // namespace

std::string GivenWord::text() const {
  std::string text;
  for (const WordTiming& piece : pieces) text += piece.word;
  if (is_on_new_line && text.starts_with(' ')) text.front() = '\n';
  return text;
}

std::vector<std::size_t> pieces_of_words(std::span<const WordTiming> pieces,
                                         std::span<const std::string> words) {
  std::vector<std::size_t> counts;
  std::size_t next = 0;
  for (const std::string& word : words) {
    const std::size_t first = next;
    for (std::size_t n_bytes = 0; next < pieces.size() && n_bytes < word.size(); ++next)
      n_bytes += pieces[next].word.size();
    counts.push_back(next - first);
  }
  return counts;
}

std::string match_key(std::string_view text) {
  std::string key;
  while (!text.empty()) {
    const std::string_view character = models::first_characters(text, 1);
    text.remove_prefix(character.size());
    char32_t point = models::code_point(character);
    if (point >= 0xFF01 && point <= 0xFF5E) point -= 0xFEE0;  // full width
    if (const auto letter = models::lower_letter(point)) models::append_code_point(*letter, key);
  }
  return key;
}

std::vector<GivenWord> given_words(std::span<const std::string> segments,
                                   const models::Vocabulary& vocabulary, std::string_view language,
                                   const Marks& marks) {
  std::vector<GivenWord> words;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const std::string lines = with_single_spaces(models::strip(segments[i]));
    if (lines.empty()) continue;
    const std::string text =
        (models::is_unspaced(language) ? "" : " ") + models::replace_all(lines, "\n", " ");
    const std::vector<WordTiming> pieces = pieces_of(text, vocabulary, language);
    auto piece = pieces.begin();
    std::size_t at = lines.size() - text.size();  // of the word in `lines`; -1: the added space
    for (const std::size_t n : pieces_of_words(pieces, merged_texts(pieces, marks))) {
      GivenWord& word = words.emplace_back();
      word.segment = i;
      word.pieces.assign(piece, piece + static_cast<std::ptrdiff_t>(n));
      piece += static_cast<std::ptrdiff_t>(n);
      const std::string said = word.text();
      word.key = match_key(said);
      word.is_on_new_line = at < lines.size() && lines[at] == '\n';
      at += said.size();
    }
  }
  return words;
}

}  // namespace wnpu::app
