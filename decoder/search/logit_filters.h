// The filters of one set of options, made once (openai/whisper decoding.py DecodingTask).
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "decoder/search/decode_options.h"
#include "decoder/search/logit_rules.h"
#include "models/base/dims.h"
#include "models/text/vocabulary.h"

namespace wnpu::decoder {

class LogitFilters {
 public:
  // Throws std::invalid_argument for suppressed ids outside the vocabulary.
  LogitFilters(const models::Dims& dims, const models::Vocabulary& vocabulary,
               const DecodeOptions& options);
  // Sets the logits [n_vocab] of forbidden tokens to -infinity, and applies the repetition penalty.
  // `sampled`: the tokens since the prompt.
  void apply(std::span<float> logits, std::span<const models::TokenId> sampled) const;

 private:
  std::vector<models::TokenId> suppressed_;
  std::vector<models::TokenId> blanks_;  // empty: blanks are allowed
  std::optional<TimestampRules> timestamps_;
  DecodeOptions options_;
};

}  // namespace wnpu::decoder
