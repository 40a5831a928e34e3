#include "decoder/search/logit_filters.h"

#include <cmath>

namespace wnpu::decoder {
namespace {

using models::TokenId;
using models::Vocabulary;

std::optional<TimestampRules> timestamp_rules(const models::Dims& dims,
                                              const Vocabulary& vocabulary,
                                              const DecodeOptions& options) {
  if (options.without_timestamps) return std::nullopt;
  TimestampRules rules{
      vocabulary.eot(), vocabulary.no_timestamps(), vocabulary.timestamp_begin(), {}};
  // openai/whisper: a timestamp step is the 30 s window over its n_audio_ctx positions.
  const double step = 30.0 / static_cast<double>(dims.n_audio_ctx);
  const auto index = [step](double seconds) {  // halves to even, as Python's round() does
    return static_cast<TokenId>(std::nearbyint(seconds / step));
  };
  if (options.max_initial_timestamp)
    rules.max_initial_index = index(*options.max_initial_timestamp);
  if (options.speech_end) rules.min_final_index = index(*options.speech_end);
  return rules;
}

}  // namespace

LogitFilters::LogitFilters(const models::Dims& dims, const Vocabulary& vocabulary,
                           const DecodeOptions& options)
    : suppressed_(suppressed_tokens(vocabulary, options.suppress_tokens)),
      timestamps_(timestamp_rules(dims, vocabulary, options)),
      options_(options) {
  if (!options.suppress_blank) return;
  blanks_ = vocabulary.encode(" ");
  blanks_.push_back(vocabulary.eot());
}

void LogitFilters::apply(std::span<float> logits, std::span<const TokenId> sampled) const {
  const float penalty = options_.repetition_penalty;
  if (penalty != 1.0F) penalize_repetition(logits, sampled, penalty);
  forbid_repeated_ngrams(logits, sampled, options_.no_repeat_ngram_size);
  suppress_blank(logits, sampled, blanks_);
  suppress(logits, suppressed_);
  if (timestamps_) apply_timestamp_rules(logits, sampled, *timestamps_);
}

}  // namespace wnpu::decoder
