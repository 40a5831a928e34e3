// Vocabularies read event by event are what a tree of the same JSON says.
#include "models/files/vocabulary_json.h"

#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "models/base/error.h"
#include "models/base/json_file.h"
#include "tests/few_samples.h"

using namespace wnpu::models;
using nlohmann::json;
using wnpu::tests::kFewSamples;

namespace {

using NumberedTokens = std::vector<std::pair<std::size_t, std::string>>;

// Tokens by the event parser; empty: refused.
std::optional<NumberedTokens> by_events(const std::string& text, VocabularyForm form) {
  NumberedTokens tokens;
  try {
    read_vocabulary_json(text, "file", form, [&](std::size_t id, const std::string& spelled) {
      tokens.emplace_back(id, spelled);
    });
  } catch (const ModelError&) {
    return std::nullopt;
  }
  return tokens;
}

std::optional<NumberedTokens> tokens_of(const json& tree, VocabularyForm form) {
  NumberedTokens tokens;
  if (form == VocabularyForm::tokenizer) {
    if (!tree.is_object() || !tree.contains("model") || !tree["model"].is_object() ||
        !tree["model"].contains("vocab")) {
      return std::nullopt;
    }
    return tokens_of(tree["model"]["vocab"], VocabularyForm::map);
  }
  if (form == VocabularyForm::list ? !tree.is_array() : !tree.is_object()) return std::nullopt;
  for (const auto& [key, value] : tree.items()) {
    if (form == VocabularyForm::list) {
      if (!value.is_string()) return std::nullopt;
      tokens.emplace_back(tokens.size(), value.get<std::string>());
    } else {
      if (!value.is_number_unsigned()) return std::nullopt;
      tokens.emplace_back(value.get<std::size_t>(), key);
    }
  }
  return tokens;
}

std::optional<NumberedTokens> by_tree(const std::string& text, VocabularyForm form) {
  try {
    return tokens_of(parse_json(text, "file"), form);
  } catch (const ModelError&) {
    return std::nullopt;
  }
}

// Few kinds of values and few keys, so that each of the forms comes up often.
json random_value(std::mt19937& random, int levels) {
  static const char* const kKeys[] = {"model", "vocab", "a", "\u0120b"};
  json value;
  switch (random() % (levels > 0 ? 12 : 6)) {
    case 0:
    case 1:
    case 2:
      return random() % 10;
    case 3:
      return kKeys[random() % 4];
    case 4:
      return random() % 2 == 0 ? json(-1) : json(1.5);
    case 5:
      return random() % 2 == 0 ? json(nullptr) : json(true);
    case 6:
    case 7:
      value = json::array();
      for (std::size_t n = random() % 4; n > 0; --n) {
        value.push_back(random() % 4 == 0 ? random_value(random, levels - 1) : json("token"));
      }
      return value;
    default:
      value = json::object();
      for (std::size_t n = random() % 4; n > 0; --n) {
        value[kKeys[random() % 4]] = random_value(random, levels - 1);
      }
      return value;
  }
}

}  // namespace

TEST_CASE("vocabulary in JSON: events say what the tree says, whatever the document") {
  constexpr std::size_t kDocuments = kFewSamples ? 4000 : 20000;
  std::mt19937 random(5);
  std::size_t n_read[3] = {};
  for (std::size_t i = 0; i < kDocuments; ++i) {
    json document = random_value(random, 4);
    if (i % 3 == 0) document = {{"a", 1}, {"model", {{"vocab", document}}}};
    std::string text = document.dump();
    if (i % 5 == 0) text = text.substr(0, random() % text.size());
    CAPTURE(text);
    for (const VocabularyForm form :
         {VocabularyForm::list, VocabularyForm::map, VocabularyForm::tokenizer}) {
      const std::optional<NumberedTokens> found = by_events(text, form);
      CHECK(found == by_tree(text, form));
      if (found && !found->empty()) ++n_read[static_cast<std::size_t>(form)];
    }
  }
  for (const std::size_t n : n_read) CHECK(n > kDocuments / 400);
}

TEST_CASE("vocabulary in JSON: keys that come twice and deep nesting are refused everywhere") {
  CHECK(!by_events(R"({"a": 1, "a": 2})", VocabularyForm::map));
  CHECK(
      !by_events(R"({"x": {"a": 1, "a": 2}, "model": {"vocab": {}}})", VocabularyForm::tokenizer));
  const std::string deep = std::string(40, '[') + std::string(40, ']');
  CHECK(!by_events(R"({"x": )" + deep + R"(, "model": {"vocab": {}}})", VocabularyForm::tokenizer));
  CHECK(by_events(R"({"x": [[[]]], "model": {"vocab": {}}})", VocabularyForm::tokenizer) ==
        NumberedTokens{});
}
