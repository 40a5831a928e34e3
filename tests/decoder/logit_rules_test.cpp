// One titled group a rule; expected values follow openai/whisper decoding.py.
#include "decoder/search/logit_rules.h"

#include <cmath>
#include <limits>

#include <doctest/doctest.h>

#include "tests/support/test_vocabulary.h"

using namespace wnpu::decoder;  // NOLINT
using wnpu::models::TokenId;

namespace {

// A small vocabulary: 0..9 text, 10 eot, 11 no_timestamps, 12..21 timestamps.
constexpr TimestampRules kRules{10, 11, 12, 3};
constexpr TokenId kVocab = 22;

std::vector<float> flat() { return std::vector<float>(kVocab, 0.0F); }

std::vector<TokenId> allowed(const std::vector<float>& logits) {
  std::vector<TokenId> ids;
  for (TokenId id = 0; id < kVocab; ++id) {
    if (std::isfinite(logits[static_cast<std::size_t>(id)])) ids.push_back(id);
  }
  return ids;
}

std::vector<TokenId> range(TokenId first, TokenId last) {
  std::vector<TokenId> ids;
  for (TokenId id = first; id <= last; ++id) ids.push_back(id);
  return ids;
}

// Logits at which text is likelier than all timestamps together.
std::vector<float> text_likely() {
  auto logits = flat();
  for (std::size_t id = 0; id <= 10; ++id) logits[id] = 9.0F;
  return logits;
}

}  // namespace

TEST_CASE("suppress: takes away the named tokens and no other") {
  auto logits = flat();
  suppress(logits, std::vector<TokenId>{0, 7, 21});
  auto expected = range(1, 20);
  std::erase(expected, 7);
  CHECK(allowed(logits) == expected);
}

TEST_CASE("suppress_blank: only the first token may not be blank") {
  const std::vector<TokenId> blanks = {2, 10};
  auto first = flat();
  suppress_blank(first, {}, blanks);
  CHECK(std::isinf(first[2]));
  CHECK(std::isinf(first[10]));
  auto second = flat();
  suppress_blank(second, std::vector<TokenId>{5}, blanks);
  CHECK(allowed(second) == range(0, 21));
}

TEST_CASE("timestamps: the first token is one, not later than the limit") {
  auto logits = text_likely();
  apply_timestamp_rules(logits, {}, kRules);
  CHECK(allowed(logits) == range(12, 15));
  auto unlimited = text_likely();
  apply_timestamp_rules(unlimited, {}, {10, 11, 12, std::nullopt});
  CHECK(allowed(unlimited) == range(12, 21));
}

TEST_CASE("timestamps: <|notimestamps|> never comes") {
  auto logits = text_likely();
  apply_timestamp_rules(logits, std::vector<TokenId>{12, 3}, kRules);
  CHECK(std::isinf(logits[11]));
}

TEST_CASE("timestamps: no end between segments before the speech's end") {
  TimestampRules rules = kRules;
  rules.min_final_index = 4;
  const auto may_end = [&](std::vector<TokenId> sampled) {
    auto logits = text_likely();
    apply_timestamp_rules(logits, sampled, rules);
    return std::isfinite(logits[10]);
  };
  CHECK_FALSE(may_end({12, 3, 15, 15}));
  CHECK(may_end({12, 3, 16, 16}));
  CHECK(may_end({12, 3, 15}));  // the segment is closed, and there is no next one
  CHECK(may_end({12, 3}));
  CHECK(may_end({12}));  // nobody speaks
}

TEST_CASE("timestamps: what may follow a pair, the very first one, text and one, and text") {
  for (const auto& [sampled, expected] :
       {std::pair{std::vector<TokenId>{12, 3, 14, 14}, range(0, 10)},  // no third one
        {{12}, range(0, 10)},                                          // it counts as a pair
        {{12, 3, 15}, {10, 15, 16, 17, 18, 19, 20, 21}},               // its twin, or the end
        {{14, 3}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 16, 17, 18, 19, 20, 21}}}) {
    const std::size_t n_sampled = sampled.size();
    CAPTURE(n_sampled);
    auto logits = text_likely();
    apply_timestamp_rules(logits, sampled, kRules);
    CHECK(allowed(logits) == expected);
  }
}

TEST_CASE("timestamps: forced where together they are likelier than any text token") {
  auto logits = flat();  // 9 timestamps of weight 1 against text of weight 1 each
  apply_timestamp_rules(logits, std::vector<TokenId>{12, 3}, kRules);
  CHECK(allowed(logits) == range(13, 21));
  auto balanced = flat();
  balanced[4] = std::log(10.0F);  // one text token against the nine
  apply_timestamp_rules(balanced, std::vector<TokenId>{12, 3}, kRules);
  CHECK(std::isfinite(balanced[4]));
}

TEST_CASE("repetition penalty: said tokens become less likely, others stay") {
  auto logits = flat();
  logits[1] = 2.0F;
  logits[2] = -2.0F;
  logits[3] = 5.0F;
  penalize_repetition(logits, std::vector<TokenId>{1, 2, 1}, 2.0F);
  CHECK(logits[1] == 1.0F);
  CHECK(logits[2] == -4.0F);
  CHECK(logits[3] == 5.0F);
}

TEST_CASE("no repeated n-grams: the token that would complete one is forbidden") {
  auto logits = flat();
  forbid_repeated_ngrams(logits, std::vector<TokenId>{1, 2, 3, 9, 1, 2}, 3);
  auto expected = range(0, 21);
  std::erase(expected, 3);
  CHECK(allowed(logits) == expected);
  auto off = flat();
  forbid_repeated_ngrams(off, std::vector<TokenId>{1, 1, 1}, 0);
  CHECK(allowed(off) == range(0, 21));
  auto unigram = flat();
  forbid_repeated_ngrams(unigram, std::vector<TokenId>{1, 5}, 1);
  CHECK(std::isinf(unigram[1]));
  CHECK(std::isinf(unigram[5]));
}

TEST_CASE("suppressed_tokens: special tokens always, ids outside the vocabulary never") {
  const auto vocabulary = wnpu::tests::test_vocabulary(false);
  const auto ids = suppressed_tokens(vocabulary, std::vector<TokenId>{17});
  CHECK(ids == std::vector<TokenId>{17, 50257, 50357, 50358, 50359, 50360, 50361});
  CHECK_THROWS_AS(suppressed_tokens(vocabulary, std::vector<TokenId>{51864}),
                  std::invalid_argument);
}
