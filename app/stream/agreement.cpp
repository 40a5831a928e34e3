#include "app/stream/agreement.h"

#include <algorithm>
#include <array>

namespace wnpu::app {
namespace {

constexpr std::string_view kMarks = " \t\n.,;:!?\"'()[]{}-";
constexpr std::array<std::string_view, 6> kSentenceEnds = {".", "!", "?", "。", "！", "？"};

std::string_view bare(std::string_view word) {
  const std::size_t first = word.find_first_not_of(kMarks);
  if (first == word.npos) return {};
  return word.substr(first, word.find_last_not_of(kMarks) + 1 - first);
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
  const std::size_t most = std::min(before.size(), now.size());
  std::size_t n = 0;
  while (n < most && is_same_word(before[n].text, now[n].text)) ++n;
  return n;
}

std::size_t n_repeated(std::span<const Word> before, std::span<const Word> now) {
  for (std::size_t n = std::min({std::size_t{3}, before.size(), now.size()}); n > 0; --n) {
    if (n_agreed(before.last(n), now.first(n)) == n) return n;
  }
  return 0;
}

bool ends_sentence(std::string_view word) {
  return std::ranges::any_of(kSentenceEnds,
                             [word](std::string_view mark) { return word.ends_with(mark); });
}

}  // namespace wnpu::app
