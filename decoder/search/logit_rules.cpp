#include "decoder/search/logit_rules.h"

#include <algorithm>
#include <limits>
#include <set>
#include <stdexcept>
#include <string>

#include "models/kernels/vectors/ops.h"

namespace wnpu::decoder {
namespace {

using models::TokenId;

constexpr float kNever = -std::numeric_limits<float>::infinity();

void forbid(std::span<float> logits, TokenId first, TokenId end) {
  const auto size = static_cast<TokenId>(logits.size());
  for (TokenId id = std::max(first, 0); id < std::min(end, size); ++id) {
    logits[static_cast<std::size_t>(id)] = kNever;
  }
}

// Timestamps open and close segments, so they come in pairs, except directly before eot.
void pair_timestamps(std::span<float> logits, std::span<const TokenId> sampled,
                     const TimestampRules& rules) {
  const auto is_timestamp = [&](TokenId id) { return id >= rules.timestamp_begin; };
  const std::size_t n = sampled.size();
  const bool last_was = n >= 1 && is_timestamp(sampled[n - 1]);
  const bool penultimate_was = n < 2 || is_timestamp(sampled[n - 2]);
  const auto end = static_cast<TokenId>(logits.size());
  if (last_was && penultimate_was) forbid(logits, rules.timestamp_begin, end);
  if (last_was && !penultimate_was) forbid(logits, 0, rules.eot);

  const auto last = std::find_if(sampled.rbegin(), sampled.rend(), is_timestamp);
  if (last == sampled.rend()) return;
  const bool between_segments = n >= 2 && last_was && penultimate_was;
  if (between_segments && *last - rules.timestamp_begin < rules.min_final_index)
    forbid(logits, rules.eot, rules.eot + 1);
  // A segment that is open must not end where it began; one that was closed may begin where it
  // ended.
  const bool closing = last_was && !penultimate_was;
  forbid(logits, rules.timestamp_begin, *last + (closing ? 0 : 1));
}

}  // namespace

void suppress(std::span<float> logits, std::span<const TokenId> tokens) {
  for (const TokenId id : tokens) logits[static_cast<std::size_t>(id)] = kNever;
}

void suppress_blank(std::span<float> logits, std::span<const TokenId> sampled,
                    std::span<const TokenId> blanks) {
  if (sampled.empty()) suppress(logits, blanks);
}

void apply_timestamp_rules(std::span<float> logits, std::span<const TokenId> sampled,
                           const TimestampRules& rules) {
  const auto end = static_cast<TokenId>(logits.size());
  forbid(logits, rules.no_timestamps, rules.no_timestamps + 1);
  pair_timestamps(logits, sampled, rules);
  if (sampled.empty()) {
    forbid(logits, 0, rules.timestamp_begin);
    if (rules.max_initial_index) {
      forbid(logits, rules.timestamp_begin + *rules.max_initial_index + 1, end);
    }
  }
  // The softmax's denominator is common to both sides, so logits serve as log probabilities.
  const auto text = logits.first(static_cast<std::size_t>(rules.timestamp_begin));
  const auto timestamps = logits.subspan(static_cast<std::size_t>(rules.timestamp_begin));
  if (kernels::log_sum_exp(timestamps) > kernels::max(text))
    forbid(logits, 0, rules.timestamp_begin);
}

void penalize_repetition(std::span<float> logits, std::span<const TokenId> sampled, float penalty) {
  for (const TokenId id : std::set<TokenId>(sampled.begin(), sampled.end())) {
    float& logit = logits[static_cast<std::size_t>(id)];
    logit = logit > 0 ? logit / penalty : logit * penalty;
  }
}

void forbid_repeated_ngrams(std::span<float> logits, std::span<const TokenId> sampled,
                            std::size_t size) {
  if (size == 0 || sampled.size() < size) return;
  const auto tail = sampled.last(size - 1);
  for (std::size_t i = 0; i + size <= sampled.size(); ++i) {
    if (std::ranges::equal(sampled.subspan(i, size - 1), tail)) {
      logits[static_cast<std::size_t>(sampled[i + size - 1])] = kNever;
    }
  }
}

std::vector<TokenId> suppressed_tokens(const models::Vocabulary& vocabulary,
                                       std::span<const TokenId> asked) {
  std::set<TokenId> ids = {vocabulary.transcribe(), vocabulary.translate(), vocabulary.sot(),
                           vocabulary.sot_prev(),   vocabulary.sot_lm(),    vocabulary.no_speech()};
  for (const TokenId id : asked) {
    if (id == -1) {
      const auto non_speech = vocabulary.non_speech_tokens();
      ids.insert(non_speech.begin(), non_speech.end());
    } else if (id >= 0 && static_cast<std::size_t>(id) < vocabulary.size()) {
      ids.insert(id);
    } else {
      throw std::invalid_argument("suppress_tokens: expected ids below " +
                                  std::to_string(vocabulary.size()) + ", found " +
                                  std::to_string(id));
    }
  }
  return {ids.begin(), ids.end()};
}

}  // namespace wnpu::decoder
