// The token embedding, at both ends of the decoder: a token's row, and the product of a hidden
// state with all rows, its logits. That product is half of what a step reads, so it is made with 8
// bits a weight, and then again with the weights as they are for all tokens that may matter.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/dims.h"
#include "models/quantised.h"
#include "models/stages.h"
#include "models/tensor.h"
#include "models/thread_pool.h"
#include "models/weights.h"

namespace wnpu::decoder {

class VocabularyProjection {
 public:
  // `embedding` [n_vocab, n_text_state] and `pool` must outlive it. Throws ModelError for a NaN or
  // infinity.
  VocabularyProjection(const models::Dims& dims, const models::WeightTensor& embedding,
                       models::ThreadPool& pool);

  // The row of `token`: [n_text_state].
  void embed(models::TokenId token, std::span<float> out) const;
  // logits [rows, n_vocab] of hidden states [rows, n_text_state], at most n_text_ctx rows. In fp32
  // from the weights as they are: the likeliest text tokens (24 at least, and up to 128 within
  // 4 of the likeliest), every special token, and timestamps unless they are out of the question.
  // All others are near: rounding to 8 bits moves a logit of tiny.en by 0.04 (root mean square; the
  // largest of 51864 by 0.26), which their sum in a softmax does not show. A row does not depend on
  // the others.
  void project(models::ConstMatrixView hidden, models::MatrixView logits);

 private:
  // Tokens first, first + 1, ...
  struct Run {
    std::uint32_t first;
    std::uint32_t count;
  };
  void fill_screen(const models::WeightTensor& embedding);
  // What to compute again in a row, in order.
  std::vector<Run> choose(std::span<const float> logits) const;
  void make_exact(std::span<const Run> runs, std::span<const float> hidden, std::span<float> logits,
                  models::MatrixView rows) const;

  models::ThreadPool& pool_;
  models::TensorView embedding_;
  std::size_t n_text_tokens_;
  std::size_t timestamp_begin_;
  std::vector<float> balance_;            // [n_text_state]: the screen has weights times this
  models::QuantisedMatrix screen_;        // [n_text_state, n_vocab]
  models::Matrix balanced_;               // [n_text_ctx, n_text_state], hidden states / balance_
  models::QuantisedRows hidden_;          // the same
  std::vector<models::Matrix> rows_;      // a thread: some rows of the embedding
  std::vector<std::vector<Run>> chosen_;  // a row of the present call
  std::size_t n_calls_ = 0;
};

}  // namespace wnpu::decoder
