// Logit filters of openai/whisper decoding.py, which say which token may follow, as pure functions.
// Each sets the logits of forbidden tokens to -infinity and touches nothing else.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "models/base/stages.h"
#include "models/text/vocabulary.h"

namespace wnpu::decoder {

// SuppressTokens: `tokens` never.
void suppress(std::span<float> logits, std::span<const models::TokenId> tokens);

// SuppressBlank: no space and no end of text as the first sampled token. `blanks` is
// encode(" ") + eot; `sampled` are the tokens since the prompt.
void suppress_blank(std::span<float> logits, std::span<const models::TokenId> sampled,
                    std::span<const models::TokenId> blanks);

// The numbers of ApplyTimestampRules.
struct TimestampRules {
  models::TokenId eot = 0;
  models::TokenId no_timestamps = 0;
  models::TokenId timestamp_begin = 0;
  // Latest first timestamp, as an index from timestamp_begin; none: any.
  std::optional<models::TokenId> max_initial_index;
  // Ours: between two segments, no end of the text before this timestamp, as such an index.
  models::TokenId min_final_index = 0;
};

// ApplyTimestampRules: timestamps come in pairs, never decrease, the first token is a timestamp not
// beyond max_initial_index, and a timestamp is forced where timestamps together are likelier than
// any text token.
void apply_timestamp_rules(std::span<float> logits, std::span<const models::TokenId> sampled,
                           const TimestampRules& rules);

// HuggingFace's and CTranslate2's repetition penalty: logits of tokens in `sampled` are divided by
// `penalty` when positive and multiplied when negative. 1 changes nothing.
void penalize_repetition(std::span<float> logits, std::span<const models::TokenId> sampled,
                         float penalty);

// No n-gram of `size` tokens twice (CTranslate2 no_repeat_ngram_size). 0 changes nothing.
void forbid_repeated_ngrams(std::span<float> logits, std::span<const models::TokenId> sampled,
                            std::size_t size);

// The list behind suppress_tokens: -1 stands for the vocabulary's non-speech tokens; the special
// tokens that never are output always come along (decoding.py _get_suppress_tokens). Sorted.
// Throws std::invalid_argument for an id outside the vocabulary.
std::vector<models::TokenId> suppressed_tokens(const models::Vocabulary& vocabulary,
                                               std::span<const models::TokenId> asked);

}  // namespace wnpu::decoder
