#include "app/stream/agreement.h"

#include <algorithm>
#include <array>

namespace wnpu::app {
namespace {

using Marks = std::span<const std::string_view>;

// First those that end a sentence or a part of one, of these first those that end a sentence.
constexpr std::array<std::string_view, 28> kMarks = {
    ".", "!",  "?",  "。", "！", "？", "…", ",", ";", ":", "，", "、", "：", "；",
    " ", "\t", "\n", "\"", "'",  "(",  ")", "[", "]", "{", "}",  "-",  "「", "」"};
constexpr Marks kClosingMarks = Marks(kMarks).first(14);
constexpr Marks kSentenceEnds = Marks(kMarks).first(7);

std::string_view without_marks_before(std::string_view text, Marks marks) {
  const auto begins = [&text](std::string_view mark) { return text.starts_with(mark); };
  for (auto mark = std::ranges::find_if(marks, begins); mark != marks.end();
       mark = std::ranges::find_if(marks, begins))
    text.remove_prefix(mark->size());
  return text;
}

std::string_view without_marks_behind(std::string_view text, Marks marks) {
  const auto ends = [&text](std::string_view mark) { return text.ends_with(mark); };
  for (auto mark = std::ranges::find_if(marks, ends); mark != marks.end();
       mark = std::ranges::find_if(marks, ends))
    text.remove_suffix(mark->size());
  return text;
}

std::string_view bare(std::string_view word) {
  return without_marks_behind(without_marks_before(word, kMarks), kMarks);
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

bool is_same_word(std::string_view a, std::string_view b) {
  const std::string_view bare_a = bare(a);
  const std::string_view bare_b = bare(b);
  if (bare_a.empty() || bare_b.empty()) return a == b;
  return std::ranges::equal(bare_a, bare_b, {}, lower, lower);
}

std::size_t n_agreed(std::span<const Word> before, std::span<const Word> now) {
  const auto is_word = [](const Word& word) { return !bare(word.text).empty(); };
  auto other = before.begin();
  auto each = now.begin();
  auto agreed = now.begin();
  while (true) {
    other = std::find_if(other, before.end(), is_word);
    each = std::find_if(each, now.end(), is_word);
    if (other == before.end() || each == now.end() || !is_same_word(other->text, each->text))
      return static_cast<std::size_t>(agreed - now.begin());
    ++other;
    agreed = ++each;
  }
}

std::size_t n_repeated(std::span<const Word> before, std::span<const Word> now) {
  for (std::size_t n = std::min({std::size_t{3}, before.size(), now.size()}); n > 0; --n) {
    if (n_agreed(before.last(n), now.first(n)) == n) return n;
  }
  return 0;
}

std::string_view without_closing_marks(std::string_view text) {
  return without_marks_behind(text, kClosingMarks);
}

void drop_closing_marks_before(std::vector<Word>& words) {
  while (!words.empty()) {
    words.front().text = std::string(without_marks_before(words.front().text, kClosingMarks));
    if (!words.front().text.empty()) return;
    words.erase(words.begin());
  }
}

bool ends_sentence(std::string_view word) {
  return without_marks_behind(word, kSentenceEnds) != word;
}

}  // namespace wnpu::app
