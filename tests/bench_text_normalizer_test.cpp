// The rules of both normalisers, one group each. Expected values are openai-whisper 20250625's own,
// made by running it on these texts.
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "bench/text_normalizer.h"

using namespace wnpu::bench;

namespace {

using Cases = std::vector<std::pair<std::string, std::string>>;

const EnglishNormalizer english(SpellingMap{{"colour", "color"}, {"grey", "gray"}});
std::string basic(const std::string& text) { return normalize_basic(text); }
std::string plain(const std::string& text) { return normalize_basic(text, Diacritics::kRemove); }
std::string split(const std::string& text) {
  return normalize_basic(text, Diacritics::kKeep, Letters::kSplit);
}

template <typename Normalizer>
void check(const Normalizer& normalizer, const Cases& cases) {
  for (const auto& [raw, expected] : cases) {
    CAPTURE(raw);
    CHECK(normalizer(raw) == expected);
  }
}

}  // namespace

TEST_CASE("text_normalizer: English: brackets, hesitations and spaces before apostrophes go") {
  check(english, {
                     {"so [door slams] she (quietly) left", "so she left"},
                     {"<noise> [mixed) up] (open", "open"},
                     {"empty () stays", "empty stays"},
                     {"Uh, hmm, it was um mm fine", "it was fine"},
                     {"the summer hums", "the summer hums"},
                     {"they 'll come", "they will come"},
                 });
}

TEST_CASE(
    "text_normalizer: English: contractions and titles are written out, the long ones first") {
  check(english,
        {
            {"She won't, I can't, let's", "she will not i can not let us"},
            {"it's been done; he's gone; that's all", "it has been done he has gone that is all"},
            {"we'd been there and she'd go", "we had been there and she would go"},
            {"y'all ain't gonna wanna", "you all aint going to want to"},
            {"Dr. Bell met Mrs. Hay on St. Anne's", "doctor bell met missus hay on saint anne is"},
            {"street ends, drum, strong", "street ends drum strong"},
            {"mustn't you've I'm we're I'll", "must not you have i am we are i will"},
        });
}

TEST_CASE("text_normalizer: English: thousands are joined, a digit only once") {
  check(english, {
                     {"1,234 items", "1234 items"},
                     {"1,2,3,4", "12 34"},
                     {"1, 2", "one 2"},
                 });
}

TEST_CASE("text_normalizer: English: full stops before anything but a digit go, in pairs") {
  check(english, {
                     {"Stop. Go.", "stop go"},
                     {"wait...", "wait ."},
                     {"a..b", "a b"},
                     {"version 2.5.", "version 2.5"},
                     {"v.2", "v.2"},
                 });
}

TEST_CASE(
    "text_normalizer: English: symbols and diacritics go, currency and percent at a number stay") {
  check(english, {
                     {"crème brûlée & co", "creme brulee co"},
                     {"Æsir, Łukasz, straße", "aesir lukasz strasse"},
                     {"cost $ five", "cost 5"},
                     {"50 % off", "50 off"},
                     {"% alone", "% alone"},
                     {"a + b = c", "a b c"},
                     {"$.50", " .50"},
                 });
}

TEST_CASE("text_normalizer: English: British spellings become American ones") {
  check(english, {
                     {"The COLOUR grey", "the color gray"},
                     {"colours", "colours"},
                 });
}

TEST_CASE(
    "text_normalizer: basic lowers, takes out brackets, symbols and marks, keeps composed "
    "letters") {
  check(basic, {
                   {"Hello, World!", "hello world "},
                   {"[a] b (c)", " b "},
                   {"naïve café", "naïve café"},
                   {"été", "été"},
                   {"ΟΔΟΣ ΣΑΣ", "οδος σας"},
                   {"ﬁne ½ ＡＢ", "fine 1 2 ab"},
                   {"  two\t\n spaces ", " two spaces "},
                   {"a_b#c", "a b c"},
                   {"नमस्ते", "नमस त "},
                   {"İstanbul", "i stanbul"},
               });
}

TEST_CASE("text_normalizer: basic without diacritics takes letters apart") {
  check(plain, {
                   {"naïve café", "naive cafe"},
                   {"Ærø ŁÓDŹ straße", "aero lodz strasse"},
                   {"Þór Ðe Đak", "thor de dak"},
                   {"ΐ", "ι"},
                   {"½ ﬁ", "1 2 fi"},
                   {"नमस्ते", "नमसत"},
               });
}

TEST_CASE("text_normalizer: basic with split letters makes a word of each grapheme cluster") {
  check(split, {
                   {"ab c", "a b c"},
                   {"你好", "你 好"},
                   {"a, b", "a b"},
                   {"한한", "한 한"},
                   {"é", "é"},
               });
}

TEST_CASE("text_normalizer: invalid UTF-8 gives valid text") {
  CHECK(normalize_basic("a\xff\xfe b") == "a b");
}

TEST_CASE("text_normalizer: says when it works without the spelling map") {
  const auto path = std::filesystem::temp_directory_path() / "wnpu_bench_no_such_map.json";
  const auto without = EnglishNormalizer::with_spelling_map_at(path);
  CHECK(without.missing_parts() ==
        "spelling map missing: no " + path.string() + "; bench/fetch_spelling_map.sh fetches it");
  CHECK(without("colour") == "colour");
  CHECK(english.missing_parts().empty());
}

TEST_CASE("text_normalizer: reads a spelling map and refuses a damaged one") {
  const auto path = std::filesystem::temp_directory_path() / "wnpu_bench_spelling_map_test.json";
  const auto write = [&path](const std::string& text) { std::ofstream(path) << text; };
  write(R"({"colour": "color"})");
  CHECK(EnglishNormalizer::with_spelling_map_at(path)("Colour") == "color");
  write(R"({"colour": 3})");
  CHECK_THROWS_WITH(read_spelling_map(path),
                    (path.string() + ": colour: expected a string, found number").c_str());
  write(R"({"colour")");
  CHECK_THROWS_WITH(
      read_spelling_map(path),
      (path.string() + ": expected a JSON object of spellings, found no valid JSON").c_str());
  std::filesystem::remove(path);
  CHECK_THROWS_WITH(read_spelling_map(path),
                    (path.string() + ": expected a spelling map, found no readable file").c_str());
}
