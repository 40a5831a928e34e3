// Windows that are decoded together, so that their rows share every matrix product. They join and
// leave between steps; what a window gives does not depend on those beside it.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "decoder/model/decoder.h"
#include "decoder/search/decode_options.h"
#include "decoder/search/decoding_task.h"
#include "models/base/tensor.h"
#include "models/text/vocabulary.h"

namespace wnpu::decoder {

class Scheduler {
 public:
  // All must outlive it.
  Scheduler(Decoder& decoder, KvCache& cache, const models::Vocabulary& vocabulary)
      : decoder_(decoder), cache_(cache), vocabulary_(vocabulary) {}

  // Has `window`, which must stay until it is retired or dropped, decoded from the next step on.
  // Throws what DecodingTask() does.
  void admit(std::size_t number, const DecodeOptions& options, const CrossKv& window);
  // Gives up the window with this number, if it is at work.
  void drop(std::size_t number);

  // The next token of the windows with these numbers, or the prompt of one that has joined; the
  // others wait, and so does what is beyond n_text_ctx rows.
  void step(std::span<const std::size_t> numbers);
  // The first window that has ended: its number and result; none: there is none.
  std::optional<std::pair<std::size_t, Decoded>> retire();

 private:
  struct Task {
    Task(std::size_t its_number, KvCache& cache, const models::Dims& dims,
         const models::Vocabulary& vocabulary, const DecodeOptions& options, const CrossKv& window)
        : number(its_number), task(cache, dims, vocabulary, options, window) {}
    std::size_t number;
    DecodingTask task;
    std::size_t first_logits = 0;  // row of logits, of this step
    std::size_t n_logits = 0;
  };

  // The rows of a step; sets which logits are whose.
  std::vector<StepRow> plan(std::span<const std::size_t> numbers);

  Decoder& decoder_;
  KvCache& cache_;
  const models::Vocabulary& vocabulary_;
  std::vector<std::unique_ptr<Task>> tasks_;  // in the order in which they joined
  models::Matrix logits_;
  std::size_t n_logits_ = 0;  // rows of them, in this step
};

// One window alone.
Decoded decode(Decoder& decoder, KvCache& cache, const models::Vocabulary& vocabulary,
               const DecodeOptions& options, const CrossKv& window);

}  // namespace wnpu::decoder
