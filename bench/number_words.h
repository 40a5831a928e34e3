// The words of spoken English numbers, as openai/whisper's EnglishNumberNormalizer knows them
// (whisper/normalizers/english.py, release 20250625), its oddities included: it forms "nineth".
#pragma once

#include <string>
#include <string_view>

namespace wnpu::bench {

enum class WordKind {
  kZero,          // zero, oh, o
  kOnes,          // one .. nineteen
  kOnesSuffixed,  // first, fives
  kTens,          // twenty .. ninety
  kTensSuffixed,  // twentieth, sixties
  kMultiplier,    // hundred .. decillion: value is the power of ten
  kMultiplierSuffixed,
  kPrecedingPrefix,  // minus, plus: symbol
  kFollowingPrefix,  // dollars, cents: symbol
  kPer,              // per (cent)
  kPercent,
  kAnd,
  kRepeat,  // double, triple: value is the count
  kPoint,
};

struct NumberWord {
  WordKind kind;
  unsigned value = 0;
  std::u32string_view suffix = U"";  // "th" of a suffixed word; the symbol of a prefix
};

// nullptr where the word has nothing to do with numbers.
const NumberWord* find_number_word(std::u32string_view word);

}  // namespace wnpu::bench
