// Decoding one window: prompt in, search until the end, best candidate out.
#pragma once

#include <cstddef>
#include <span>
#include <variant>
#include <vector>

#include "decoder/model/decoder.h"
#include "decoder/search/decode_options.h"
#include "decoder/search/logit_filters.h"
#include "decoder/search/search.h"
#include "models/base/dims.h"
#include "models/text/vocabulary.h"

namespace wnpu::decoder {

class DecodingTask {
 public:
  // All references must outlive the task, which has sequences of its own in `cache`. Throws
  // std::invalid_argument for a language or task that the model does not have.
  DecodingTask(KvCache& cache, const models::Dims& dims, const models::Vocabulary& vocabulary,
               const DecodeOptions& options, const CrossKv& window);

  bool done() const { return done_; }
  // Appends the rows to feed next.
  void add_rows(std::vector<StepRow>& rows) const;
  // Takes the logits of this task's rows that wanted them, [those rows, n_vocab]; overwrites them.
  void advance(models::MatrixView logits);
  Decoded result() const;

 private:
  std::span<const Hypothesis> lines() const;

  models::Dims dims_;
  const models::Vocabulary* vocabulary_;
  DecodeOptions options_;
  LogitFilters filters_;
  std::size_t sample_len_;
  std::variant<GreedySearch, BeamSearch> search_;
  std::vector<models::TokenId> initial_;  // initial_tokens()
  std::size_t sot_index_ = 0;             // of sot in initial_
  OpenSequences sequences_;
  const CrossKv& window_;
  std::size_t n_sampled_ = 0;
  double no_speech_prob_ = 0;
  bool done_ = false;
};

}  // namespace wnpu::decoder
