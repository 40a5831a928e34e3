#include "app/jobs/manifest/word_errors.h"

#include <algorithm>
#include <sstream>
#include <vector>

#include "models/base/letters.h"
#include "models/base/utf8.h"

namespace wnpu::app {
namespace {

// Fewest errors first; of equally few, fewest substitutions, which is most correct units.
bool better(const ErrorCounts& a, const ErrorCounts& b) {
  return a.errors() != b.errors() ? a.errors() < b.errors() : a.substitutions < b.substitutions;
}

using Units = std::vector<std::string>;

// Levenshtein with the kinds of errors, row by row: best[j] turns reference[0, i) into
// hypothesis[0, j).
ErrorCounts align(const Units& reference, const Units& hypothesis) {
  std::vector<ErrorCounts> best(hypothesis.size() + 1);
  for (std::size_t j = 0; j <= hypothesis.size(); ++j) {
    best[j].insertions = j;
  }
  for (const std::string& unit : reference) {
    ErrorCounts diagonal = best[0];
    ++best[0].deletions;
    for (std::size_t j = 1; j <= hypothesis.size(); ++j) {
      ErrorCounts kept = diagonal;
      kept.substitutions += unit == hypothesis[j - 1] ? 0 : 1;
      ErrorCounts deleted = best[j];
      ++deleted.deletions;
      ErrorCounts inserted = best[j - 1];
      ++inserted.insertions;
      diagonal = best[j];
      best[j] = std::min({kept, deleted, inserted}, better);
    }
  }
  best.back().reference = reference.size();
  return best.back();
}

Units split_words(std::string_view text) {
  Units words;
  std::istringstream stream{std::string(text)};
  for (std::string word; stream >> word;) words.push_back(std::move(word));
  return words;
}

// Code points, with a space between words.
Units split_characters(std::string_view text) {
  Units characters;
  for (const std::string& word : split_words(text)) {
    if (!characters.empty()) characters.emplace_back(" ");
    for (const char byte : word) {
      const bool continues = (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
      if (!continues || characters.empty()) characters.emplace_back();
      characters.back() += byte;
    }
  }
  return characters;
}

}  // namespace

double ErrorCounts::rate() const {
  return static_cast<double>(errors()) / static_cast<double>(std::max<std::size_t>(reference, 1));
}

ErrorCounts& ErrorCounts::operator+=(const ErrorCounts& other) {
  substitutions += other.substitutions;
  deletions += other.deletions;
  insertions += other.insertions;
  reference += other.reference;
  return *this;
}

ErrorCounts count_word_errors(std::string_view reference, std::string_view hypothesis) {
  return align(split_words(reference), split_words(hypothesis));
}

ErrorCounts count_character_errors(std::string_view reference, std::string_view hypothesis) {
  return align(split_characters(reference), split_characters(hypothesis));
}

std::string plain_words(std::string_view text) {
  std::string plain;
  const std::string repaired = models::repair_utf8(text);
  for (std::string_view rest = repaired; !rest.empty();) {
    const std::string_view bytes = models::first_characters(rest, 1);
    rest.remove_prefix(bytes.size());
    const char32_t point = models::code_point(bytes);
    const bool is_apostrophe = point == U'\'' || point == 0x2019;
    models::append_code_point(is_apostrophe ? U'\'' : models::lower_letter(point).value_or(U' '),
                              plain);
  }
  std::string words;
  for (std::string word : split_words(plain)) {
    word.erase(0, std::min(word.find_first_not_of('\''), word.size()));
    word.erase(word.find_last_not_of('\'') + 1);
    if (!word.empty()) words += (words.empty() ? "" : " ") + word;
  }
  return words;
}

}  // namespace wnpu::app
