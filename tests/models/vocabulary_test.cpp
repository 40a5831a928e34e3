#include "models/text/vocabulary.h"

#include <numeric>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "models/base/error.h"
#include "models/text/line_break.h"
#include "models/text/word_split.h"
#include "tests/nano/nano_model.h"

using namespace wnpu::models;
using wnpu::tests::nano_dims;

namespace {

using Tokens = std::vector<TokenId>;

Dims dims_with(std::size_t n_vocab) {
  Dims dims = nano_dims();
  dims.n_vocab = n_vocab;
  return dims;
}

// Token ids of a vocabulary of bytes (id = byte) and a few merges, filled up with unused tokens.
std::vector<std::string> tokens_with(const std::vector<std::string>& merges, const Dims& dims) {
  std::vector<std::string> tokens;
  tokens.reserve(dims.n_text_tokens());
  for (int byte = 0; byte < 256; ++byte) tokens.emplace_back(1, static_cast<char>(byte));
  tokens.insert(tokens.end(), merges.begin(), merges.end());
  while (tokens.size() < dims.n_text_tokens()) {
    tokens.push_back("\xFF" + std::to_string(tokens.size()));
  }
  return tokens;
}

Vocabulary vocabulary_with(const std::vector<std::string>& merges, std::size_t n_vocab = 51865) {
  const Dims dims = dims_with(n_vocab);
  return {tokens_with(merges, dims), dims, "test"};
}

}  // namespace

TEST_CASE("vocabulary: special tokens follow from the vocabulary's size") {
  struct Expected {
    std::size_t n_vocab;
    TokenId eot, translate, timestamp_begin;
    std::size_t languages;
  };
  // openai/whisper get_encoding, as tokenizer/special.json of the golden data has it.
  for (const auto& expected :
       {Expected{51864, 50256, 50357, 50363, 99}, Expected{51865, 50257, 50358, 50364, 99},
        Expected{51866, 50257, 50359, 50365, 100}}) {
    CAPTURE(expected.n_vocab);
    const Vocabulary vocabulary = vocabulary_with({}, expected.n_vocab);
    CHECK(vocabulary.eot() == expected.eot);
    CHECK(vocabulary.sot() == expected.eot + 1);
    CHECK(vocabulary.translate() == expected.translate);
    CHECK(vocabulary.timestamp_begin() == expected.timestamp_begin);
    CHECK(vocabulary.languages().size() == expected.languages);
    CHECK(vocabulary.is_multilingual() == (expected.n_vocab != 51864));
    CHECK(vocabulary.language_token("yue").has_value() == (expected.languages == 100));
    CHECK(vocabulary.timestamp_begin() + 1501 == static_cast<TokenId>(expected.n_vocab));
  }
}

TEST_CASE("vocabulary: languages are found by code, name and alias in any case") {
  CHECK(find_language("de") == "de");
  CHECK(find_language("German") == "de");
  CHECK(find_language("CASTILIAN") == "es");
  CHECK(find_language("Haitian Creole") == "ht");
  CHECK(find_language("mandarin") == "zh");
  CHECK_FALSE(find_language("klingon"));
  CHECK_FALSE(find_language(""));
  CHECK(all_languages().size() == 100);
}

TEST_CASE("vocabulary: the lowest rank is merged first, the leftmost of equals before the others") {
  // Ids 256.. in this order: "bc" comes before "ab", so "abc" is a + bc.
  const Vocabulary vocabulary = vocabulary_with({"bc", "ab", "aa", "aaa"});
  CHECK(vocabulary.encode("abc") == Tokens{'a', 256});
  CHECK(vocabulary.encode("ab") == Tokens{257});
  CHECK(vocabulary.encode("aaaa") == Tokens{258, 258});
  CHECK(vocabulary.encode("aaaaa") == Tokens{258, 259});
  CHECK(vocabulary.encode("").empty());
}

TEST_CASE("vocabulary: text is cut before merging, as GPT-2's pattern says") {
  // Merges across a boundary of the pattern must not happen.
  const Vocabulary vocabulary = vocabulary_with({"a1", "1a", " a", "a ", "\xC2\x85z", "a'", "'s"});
  CHECK(vocabulary.encode("a1a") == Tokens{'a', '1', 'a'});
  CHECK(vocabulary.encode("a a") == Tokens{'a', 258});
  CHECK(vocabulary.encode("a's") == Tokens{'a', 262});
  CHECK(vocabulary.encode("\xC2\x85z") == Tokens{0xC2, 0x85, 'z'});  // NEL is white space
  // Spaces: the last of several goes with the word.
  CHECK(vocabulary.encode("a  a") == Tokens{'a', ' ', 258});
  CHECK(vocabulary.encode("a  ") == Tokens{'a', ' ', ' '});
}

TEST_CASE("vocabulary: text of any bytes and any length can be encoded") {
  const Vocabulary vocabulary = vocabulary_with({"aa"});
  CHECK(vocabulary.encode("\xFF") == Tokens{0xEF, 0xBF, 0xBD});  // ill-formed: U+FFFD
  CHECK(vocabulary.encode(std::string(1, '\0')) == Tokens{0});
  // One piece of a million letters: quadratic merging would take minutes.
  CHECK(vocabulary.encode(std::string(1'000'000, 'a')).size() == 500'000);
}

TEST_CASE("vocabulary: decode leaves special tokens out, decode_with_timestamps spells them") {
  const Vocabulary vocabulary = vocabulary_with({"aa"});
  const TokenId t = vocabulary.timestamp_begin();
  const Tokens tokens = {vocabulary.sot(),
                         *vocabulary.language_token("de"),
                         vocabulary.transcribe(),
                         t,
                         'h',
                         'i',
                         t + 54,
                         t + 1500,
                         vocabulary.eot(),
                         -1};
  CHECK(vocabulary.decode(tokens) == "hi");
  CHECK(vocabulary.decode_with_timestamps(tokens) ==
        "<|startoftranscript|><|de|><|transcribe|><|0.00|>hi<|1.08|><|30.00|><|endoftext|>");
}

TEST_CASE("vocabulary: a token list that cannot be one is refused") {
  const Dims dims = nano_dims();
  const auto good = tokens_with({"ab"}, dims);
  CHECK_THROWS_WITH_AS(Vocabulary({}, dims, "dir"),
                       "dir: vocabulary: expected 50257 text tokens, found no tokenizer file",
                       ModelError);
  auto tokens = good;
  tokens.pop_back();
  CHECK_THROWS_WITH_AS(Vocabulary(tokens, dims, "dir"),
                       "dir: vocabulary: expected 50257 text tokens, found 50256", ModelError);
  tokens = good;
  tokens[256] = "a";
  CHECK_THROWS_WITH_AS(Vocabulary(tokens, dims, "dir"),
                       "dir: vocabulary: expected different tokens, found equal ones at 97 and 256",
                       ModelError);
  tokens[256] = tokens[257] = "\xEF\xBF\xBD";
  CHECK_THROWS_WITH_AS(Vocabulary(tokens, dims, "dir"),
                       doctest::Contains("at 256 and 257, whose bytes an old converter has lost"),
                       ModelError);
  tokens = good;
  tokens[0] = "zz";
  CHECK_THROWS_WITH_AS(Vocabulary(tokens, dims, "dir"),
                       "dir: vocabulary: expected a token for each byte, found none for 0",
                       ModelError);
}

TEST_CASE("words: characters that are cut into tokens stay together") {
  const Vocabulary vocabulary = vocabulary_with({"\xE6\x97"});
  // U+65E5 as two tokens, then a lone byte that is no character, then U+65E5 as three.
  const Tokens tokens = {256, 0xA5, 0xFF, 0xE6, 0x97, 0xA5};
  const std::vector<Word> expected = {{"\xE6\x97\xA5", {256, 0xA5}},
                                      {"\xEF\xBF\xBD", {0xFF}},
                                      {"\xE6\x97\xA5", {0xE6, 0x97, 0xA5}}};
  CHECK(split_on_unicode(vocabulary, tokens) == expected);
  CHECK(split_to_words(vocabulary, tokens, "ja") == expected);
  CHECK(split_to_words(vocabulary, tokens, "en").size() == 1);
}

TEST_CASE("words: spaces, punctuation and special tokens start a word") {
  const Vocabulary vocabulary = vocabulary_with({" a", "\xC2\xA0"});
  const Tokens tokens = {256, 'b', '.', 256, 257, 'z', vocabulary.eot()};
  const std::vector<Word> expected = {{" ab", {256, 'b'}},
                                      {".", {'.'}},
                                      {" a", {256}},
                                      {"\xC2\xA0z", {257, 'z'}},  // nothing but space: own word
                                      {"<|endoftext|>", {vocabulary.eot()}}};
  CHECK(split_on_spaces(vocabulary, tokens) == expected);
  CHECK(split_on_spaces(vocabulary, {}).empty());
}

TEST_CASE("words: a mark of Thai stays with its character, in Latin text as in openai/whisper") {
  const Vocabulary vocabulary = vocabulary_with({"\u0E17", "\u0E35\u0E48", "\u0E33", " a"});
  const Tokens tokens = {256, 257, 256, 258, 259, 'b'};
  const std::vector<Word> expected = {{"\u0E17\u0E35\u0E48", {256, 257}},
                                      {"\u0E17\u0E33", {256, 258}},
                                      {" a", {259}},
                                      {"b", {'b'}}};
  CHECK(split_to_words(vocabulary, tokens, "th") == expected);
  CHECK(split_on_unicode(vocabulary, tokens).size() == 6);
  const Tokens mark = {257, 256};
  CHECK(split_to_words(vocabulary, mark, "th").size() == 2);
}

TEST_CASE("words: lines end at white space, and beside characters of unspaced scripts") {
  struct Border {
    std::string before, after;
    bool may_break;
  };
  for (const Border& border : {Border{"c", "'est", false},
                               {"we", "\u2019re", false},
                               {"l'", "homme", false},
                               {"Chat", "GPT", false},
                               {"GP", "T4", false},
                               {"twenty", "-five", false},
                               {"b", ".", false},
                               {"a", " b", true},
                               {"a ", "b", true},
                               {"日本", "語", true},
                               {"日本", "GPT", true},
                               {"GPT", "です", true},
                               {"き", "ょう", false},
                               {"コ", "ーヒー", false},
                               {"ッ", "ﾞ", false},
                               {"東京", "」", false},
                               {"「", "東京", false},
                               {"東京", "「", true},
                               {"い", "。", false},
                               {"日本", "\u3000語", true},
                               {"人", "々", false},
                               {"\u0E17", "\u0E35", false},
                               {"\u0E17", "\u0E17", true},
                               {"한국", "어", false},
                               {"👩\u200D", "👩", false},
                               {"so", "👩", true},
                               {"", "a", true},
                               {"a", "", false}}) {
    CAPTURE(border.before);
    CAPTURE(border.after);
    CHECK(may_break(border.before, border.after) == border.may_break);
  }
}
