// Decoding one window: prompt in, search until the end, best candidate out. Several tasks advance
// together, so that their rows share every matrix product (batched windows, beams).
#pragma once

#include <cstddef>
#include <functional>
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
  // `vocabulary` must outlive the task. Throws std::invalid_argument for a language or task that
  // the model does not have.
  DecodingTask(const models::Dims& dims, const models::Vocabulary& vocabulary,
               const DecodeOptions& options);

  // Starts a window, which must outlive the task. It uses sequences first_sequence ..
  // first_sequence + n_sequences(options) - 1 of the cache, and clears them here.
  void begin(KvCache& cache, std::size_t first_sequence, const CrossKv& window);
  bool done() const { return done_; }
  // Appends the rows to feed next.
  void add_rows(std::vector<StepRow>& rows) const;
  // Takes the logits of this task's rows that wanted them, [those rows, n_vocab]; overwrites them.
  void advance(KvCache& cache, models::MatrixView logits);
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
  std::size_t first_sequence_ = 0;
  const CrossKv* window_ = nullptr;
  std::size_t n_sampled_ = 0;
  double no_speech_prob_ = 0;
  bool done_ = false;
};

// Runs the tasks to their ends, all together. `should_stop`, where given, is asked before each
// step; true ends the work there with models::Stopped.
void run(Decoder& decoder, KvCache& cache, std::span<DecodingTask> tasks,
         const std::function<bool()>& should_stop = {});

}  // namespace wnpu::decoder
