// The tokenizer against openai/whisper's: tests/data/tokenizer (made with tiktoken).
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "models/base/utf8.h"
#include "models/files/model_file.h"
#include "models/files/open_model.h"
#include "models/text/vocabulary.h"
#include "models/text/word_split.h"
#include "tests/nano/nano_golden.h"
#include "tests/support/fetched_files.h"
#include "tests/support/reference_data.h"

using namespace wnpu::models;
using namespace wnpu::tests;
using nlohmann::json;

namespace {

using Tokens = std::vector<TokenId>;

Vocabulary open_vocabulary(const std::filesystem::path& directory) {
  const auto file = open_model(directory);
  return {file->token_bytes(), file->dims(), file->path()};
}

Vocabulary multilingual() { return open_vocabulary(nano_golden_dir("nano80") / "ct2"); }

std::optional<Vocabulary> english() {
  const auto tiny_en = tiny_en_dir();
  if (!tiny_en) return std::nullopt;
  return open_vocabulary(*tiny_en);
}

std::string from_hex(const std::string& hex) {
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  }
  return bytes;
}

void check_encoding(const Vocabulary& vocabulary, const std::string& name) {
  const json vectors = data_json("tokenizer/encode.json");
  REQUIRE(vectors["vectors"].size() > 200);
  for (const json& vector : vectors["vectors"]) {
    const std::string text = from_hex(vector["utf8_hex"]);
    CAPTURE(vector["utf8_hex"].dump());
    CHECK(vocabulary.encode(text) == vector[name].get<Tokens>());
    CHECK(vocabulary.decode(vector[name].get<Tokens>()) == text);
  }
}

std::vector<Word> words_of(const json& list) {
  std::vector<Word> words;
  for (const json& word : list) words.push_back({word["text"], word["ids"].get<Tokens>()});
  return words;
}

void check_decoding(const Vocabulary& vocabulary, const std::string& name) {
  const json vectors = data_json("tokenizer/decode.json");
  std::size_t checked = 0;
  for (const json& vector : vectors["token_by_token"]) {
    if (vector["vocab"] != name) continue;
    ++checked;
    const Tokens ids = vector["ids"];
    CAPTURE(vector["ids"].dump());
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const std::span<const TokenId> all(ids);
      const std::string bytes = vocabulary.decode_with_timestamps(all.subspan(i, 1));
      CHECK(bytes == from_hex(vector["piece_hex"][i]));
      CHECK(repair_utf8(bytes) == vector["decode_each_alone"][i]);
      CHECK(repair_utf8(vocabulary.decode(all.first(i + 1))) == vector["decode_prefixes"][i]);
    }
    CHECK(split_on_unicode(vocabulary, ids) == words_of(vector["split_on_unicode"]));
    CHECK(split_on_spaces(vocabulary, ids) == words_of(vector["split_on_spaces"]));
  }
  CHECK(checked > 80);
  for (const json& vector : vectors["invalid_utf8"]) {
    CAPTURE(vector["bytes_hex"].dump());
    const std::string bytes = vocabulary.decode(vector[name].get<Tokens>());
    CHECK(bytes == from_hex(vector["bytes_hex"]));
    CHECK(repair_utf8(bytes) == vector["decoded"]);
  }
}

void check_specials(const Vocabulary& vocabulary, const std::string& name) {
  const json vectors = data_json("tokenizer/special.json");
  const json& expected = vectors[name];
  CHECK(vocabulary.size() == expected["n_vocab"]);
  CHECK(vocabulary.eot() == expected["eot"]);
  CHECK(vocabulary.sot() == expected["sot"]);
  CHECK(vocabulary.translate() == expected["translate"]);
  CHECK(vocabulary.transcribe() == expected["transcribe"]);
  CHECK(vocabulary.sot_lm() == expected["sot_lm"]);
  CHECK(vocabulary.sot_prev() == expected["sot_prev"]);
  CHECK(vocabulary.no_speech() == expected["no_speech"]);
  CHECK(vocabulary.no_timestamps() == expected["no_timestamps"]);
  CHECK(vocabulary.timestamp_begin() == expected["timestamp_begin"]);
  CHECK(vocabulary.non_speech_tokens() == expected["non_speech_tokens"].get<Tokens>());
  REQUIRE(vocabulary.languages().size() == expected["languages"].size());
  for (const json& language : expected["languages"]) {
    CHECK(vocabulary.language_token(language["code"].get<std::string>()) == language["token"]);
  }
  for (const auto& [text, id] : expected["special_tokens"].items()) {
    CHECK(vocabulary.decode_with_timestamps(Tokens{id}) == text);
  }
  for (const auto& [text, id] : expected["timestamp_examples"].items()) {
    CHECK(vocabulary.decode_with_timestamps(Tokens{id}) == text);
  }
}

}  // namespace

TEST_CASE("tokenizer: the multilingual vocabulary encodes as tiktoken does") {
  check_encoding(multilingual(), "multilingual");
}

TEST_CASE("tokenizer: the English vocabulary encodes as tiktoken does") {
  if (const auto vocabulary = english()) check_encoding(*vocabulary, "gpt2");
}

TEST_CASE("tokenizer: the multilingual vocabulary decodes and splits as openai/whisper does") {
  check_decoding(multilingual(), "multilingual");
}

TEST_CASE("tokenizer: the English vocabulary decodes and splits as openai/whisper does") {
  if (const auto vocabulary = english()) check_decoding(*vocabulary, "gpt2");
}

TEST_CASE("tokenizer: special tokens are openai/whisper's in all three vocabularies") {
  if (const auto vocabulary = english()) check_specials(*vocabulary, "gpt2_en");
  check_specials(multilingual(), "multilingual_51865");
  check_specials(open_vocabulary(nano_golden_dir("nano128") / "ct2"), "multilingual_51866");
}

TEST_CASE("tokenizer: language names and aliases are openai/whisper's") {
  const json vectors = data_json("tokenizer/special.json");
  std::size_t checked = 0;
  for (const auto& [name, code] : vectors["name_to_code"].items()) {
    CHECK(find_language(name) == code.get<std::string>());
    ++checked;
  }
  CHECK(checked == 112);
  std::vector<std::string> codes;
  for (const Language& language : all_languages()) codes.emplace_back(language.code);
  CHECK(codes == vectors["language_codes_in_order"].get<std::vector<std::string>>());
}
