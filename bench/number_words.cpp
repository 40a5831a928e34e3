#include "bench/number_words.h"

#include <array>
#include <map>
#include <utility>

namespace wnpu::bench {
namespace {

using Words = std::map<std::u32string, NumberWord, std::less<>>;

constexpr std::array<std::u32string_view, 19> kOnes = {
    U"one",     U"two",     U"three",     U"four",     U"five",    U"six",      U"seven",
    U"eight",   U"nine",    U"ten",       U"eleven",   U"twelve",  U"thirteen", U"fourteen",
    U"fifteen", U"sixteen", U"seventeen", U"eighteen", U"nineteen"};

// Twenty to ninety, without the final y.
constexpr std::array<std::u32string_view, 8> kTensStems = {U"twent", U"thirt",  U"fort",  U"fift",
                                                           U"sixt",  U"sevent", U"eight", U"ninet"};

constexpr std::array<std::pair<std::u32string_view, unsigned>, 12> kMultipliers = {{
    {U"hundred", 2},
    {U"thousand", 3},
    {U"million", 6},
    {U"billion", 9},
    {U"trillion", 12},
    {U"quadrillion", 15},
    {U"quintillion", 18},
    {U"sextillion", 21},
    {U"septillion", 24},
    {U"octillion", 27},
    {U"nonillion", 30},
    {U"decillion", 33},
}};

void add_ones(Words& words) {
  for (unsigned value = 1; value <= kOnes.size(); ++value) {
    const std::u32string name(kOnes[value - 1]);
    words[name] = {WordKind::kOnes, value};
    words[name + (value == 6 ? U"es" : U"s")] = {WordKind::kOnesSuffixed, value, U"s"};
    if (value > 3 && value != 5 && value != 12) {
      words[name + (name.back() == U't' ? U"h" : U"th")] = {WordKind::kOnesSuffixed, value, U"th"};
    }
  }
  words[U"zeroth"] = {WordKind::kOnesSuffixed, 0, U"th"};
  words[U"first"] = {WordKind::kOnesSuffixed, 1, U"st"};
  words[U"second"] = {WordKind::kOnesSuffixed, 2, U"nd"};
  words[U"third"] = {WordKind::kOnesSuffixed, 3, U"rd"};
  words[U"fifth"] = {WordKind::kOnesSuffixed, 5, U"th"};
  words[U"twelfth"] = {WordKind::kOnesSuffixed, 12, U"th"};
}

void add_tens(Words& words) {
  for (unsigned i = 0; i < kTensStems.size(); ++i) {
    const std::u32string stem(kTensStems[i]);
    const unsigned value = 10 * (i + 2);
    words[stem + U"y"] = {WordKind::kTens, value};
    words[stem + U"ies"] = {WordKind::kTensSuffixed, value, U"s"};
    words[stem + U"ieth"] = {WordKind::kTensSuffixed, value, U"th"};
  }
}

void add_multipliers(Words& words) {
  for (const auto& [view, exponent] : kMultipliers) {
    const std::u32string name(view);
    words[name] = {WordKind::kMultiplier, exponent};
    words[name + U"s"] = {WordKind::kMultiplierSuffixed, exponent, U"s"};
    words[name + U"th"] = {WordKind::kMultiplierSuffixed, exponent, U"th"};
  }
}

void add_symbols(Words& words) {
  for (const auto* zero : {U"zero", U"oh", U"o"}) {
    words[zero] = {WordKind::kZero};
  }
  const auto add = [&words](WordKind kind, std::u32string_view symbol, auto... names) {
    ((words[names] = NumberWord{kind, 0, symbol}), ...);
  };
  add(WordKind::kPrecedingPrefix, U"-", U"minus", U"negative");
  add(WordKind::kPrecedingPrefix, U"+", U"plus", U"positive");
  add(WordKind::kFollowingPrefix, U"£", U"pound", U"pounds");
  add(WordKind::kFollowingPrefix, U"€", U"euro", U"euros");
  add(WordKind::kFollowingPrefix, U"$", U"dollar", U"dollars");
  add(WordKind::kFollowingPrefix, U"¢", U"cent", U"cents");
  words[U"per"] = {WordKind::kPer};
  words[U"percent"] = {WordKind::kPercent};
  words[U"and"] = {WordKind::kAnd};
  words[U"double"] = {WordKind::kRepeat, 2};
  words[U"triple"] = {WordKind::kRepeat, 3};
  words[U"point"] = {WordKind::kPoint};
}

Words all_words() {
  Words words;
  add_ones(words);
  add_tens(words);
  add_multipliers(words);
  add_symbols(words);
  return words;
}

}  // namespace

const NumberWord* find_number_word(std::u32string_view word) {
  static const Words kWords = all_words();
  const auto found = kWords.find(word);
  return found == kWords.end() ? nullptr : &found->second;
}

}  // namespace wnpu::bench
