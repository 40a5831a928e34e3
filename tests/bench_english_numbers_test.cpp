// The rules of spoken English numbers, one group each. Expected values are openai-whisper
// 20250625's own, made by running it on these texts.
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "bench/text_normalizer.h"

using namespace wnpu::bench;

namespace {

using Cases = std::vector<std::pair<std::string, std::string>>;

const EnglishNormalizer english;

template <typename Normalizer>
void check(const Normalizer& normalizer, const Cases& cases) {
  for (const auto& [raw, expected] : cases) {
    CAPTURE(raw);
    CHECK(normalizer(raw) == expected);
  }
}

}  // namespace

TEST_CASE("english_numbers: units, tens and multipliers add up") {
  check(english, {
                     {"twenty three", "23"},
                     {"one hundred and five", "105"},
                     {"three thousand two hundred forty one", "3241"},
                     {"two hundred five thousand", "205000"},
                     {"nineteen hundred", "1900"},
                     {"forty eleven", "4011"},
                     {"hundred thousand", "100000"},
                 });
}

TEST_CASE("english_numbers: digits in a row are strung together") {
  check(english, {
                     {"one two three", "123"},
                     {"oh seven five", "075"},
                     {"nineteen eighty four", "1984"},
                     {"ten ten", "1010"},
                     {"zero five", "05"},
                     {"twenty twenty one", "2021"},
                     {"one twenty three", "123"},
                     {"forty five six", "456"},
                 });
}

TEST_CASE("english_numbers: ordinals and plurals keep their ending") {
  check(english, {
                     {"twenty first", "21st"},
                     {"the third", "the 3rd"},
                     {"ninth nineth", "ninth 9th"},
                     {"sixties", "60s"},
                     {"nineteen sixties", "1960s"},
                     {"two hundredth", "200th"},
                     {"five thousands", "5000s"},
                     {"zeroth", "0th"},
                     {"one first", "11st"},
                     {"one hundred twelfth", "112th"},
                     {"thirty twelfth", "3012th"},
                     {"hundred twentieth", "120th"},
                     {"5 twentieth", "520th"},
                 });
}

TEST_CASE("english_numbers: point makes decimals, which multipliers scale") {
  check(english, {
                     {"three point one four", "3.14"},
                     {"point five", ".5"},
                     {"point", "point"},
                     {"two point", "2 point"},
                     {"point first", "1st"},
                     {"2.5 million", "2500000"},
                     {"2.55 hundreds", "255s"},
                     {"2.555 hundred", "2.555 100"},
                     {"1.2.3 thousand", "one.2.3 1000"},
                     {"0 million", "0"},
                     {"zero million", "0"},
                     {"four point two billions", "4200000000s"},
                     {"5.0", "5"},
                     {"1.5 point 5", "one.5.5"},
                 });
}

TEST_CASE("english_numbers: half a unit is point five after a number only") {
  check(english, {
                     {"two and a half", "2.5"},
                     {"two million and a half", "2000000.5"},
                     {"years and a half", "years and a half"},
                     {"and a half", ""},
                     {"oh and a  half day", "0.5 day"},
                     {"and a half and a half x", "x"},
                 });
}

TEST_CASE("english_numbers: currency goes before, cents are combined") {
  check(english, {
                     {"five dollars", "$5"},
                     {"ten pounds and five pence", "£10 and 5 pence"},
                     {"two dollars and seven cents", "$2.07"},
                     {"$2 and ¢50", "$2.50"},
                     {"$0.07", "¢7"},
                     {"$0.5", "¢5"},
                     {"€3 ¢5", "€3.05"},
                     {"six euros", "€6"},
                     {"dollars", "dollars"},
                     {"fifty cents", "¢50"},
                     {"$1 ¢100", " one ¢100"},
                 });
}

TEST_CASE("english_numbers: percent and per cent") {
  check(english, {
                     {"five percent", "5%"},
                     {"five per cent", "5%"},
                     {"five per person", "5 per person"},
                     {"per cent", "per cent"},
                     {"percent", "percent"},
                     {"point five percent", ".5%"},
                 });
}

TEST_CASE("english_numbers: signs apply to numbers only") {
  check(english, {
                     {"minus five", "-5"},
                     {"plus one", "+one"},
                     {"negative feedback", "negative feedback"},
                     {"minus", "minus"},
                     {"three minus two", "3 -2"},
                     {"minus hundred percent", "-100%"},
                 });
}

TEST_CASE("english_numbers: double and triple repeat the next digit") {
  check(english, {
                     {"double oh seven", "007"},
                     {"triple nine", "999"},
                     {"double trouble", "double trouble"},
                     {"five double six", "566"},
                     {"double twenty", "double 20"},
                     {"triple", "triple"},
                 });
}

TEST_CASE("english_numbers: and is dropped only inside a number") {
  check(english, {
                     {"hundred and one", "101"},
                     {"five and six", "5 and 6"},
                     {"this and that", "this and that"},
                     {"thousand and", "1000 and"},
                     {"hundred and dollars", "$100"},
                 });
}

TEST_CASE("english_numbers: one stays a word where it stands alone") {
  check(english, {
                     {"one", "one"},
                     {"the ones", "the ones"},
                     {"1s", "ones"},
                     {"11", "11"},
                     {"one's", "one is"},
                     {"1st", "1st"},
                     {"$1", " one"},
                 });
}

TEST_CASE("english_numbers: letters and digits are parted, suffixes rejoined") {
  check(english, {
                     {"mp3 player", "mp 3 player"},
                     {"5km", "5 km"},
                     {"3rd 2 nd 4th", "3rd 2nd 4th"},
                     {"the 90's", "the 90 is"},
                     {"7 stars", "7 stars"},
                 });
}

TEST_CASE("english_numbers: any length and any script") {
  check(english, {
                     {"one decillion", "1000000000000000000000000000000000"},
                     {"three nonillion decillion", "3000000000000000000000000000000"},
                     {"123456789012345678901234567890 thousand", "123456789012345678901235457000"},
                     {"12345678901234567890123 million", "12345678901234690890000"},
                     {"٣ ٣.٥", "3 3 5"},
                     {"nine nine nine nine nine nine nine nine nine nine nine nine nine nine nine "
                      "nine nine nine nine nine nine",
                      "999999999999999999999"},
                 });
}
