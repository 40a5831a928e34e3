// The token embedding, at both ends of the decoder: a token's row, and the product of a hidden
// state with all rows, its logits. That product is half of what a step reads, so it is made with 8
// bits a weight, and then again with the weights as they are for all tokens that may matter.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/dims.h"
#include "models/packed_matrix.h"
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
  // 4 of the likeliest) and every special token, timestamps included. All others are near: rounding
  // to 8 bits moves a logit of tiny.en by 0.04 (root mean square; the largest of 51864 by 0.26),
  // which their sum in a softmax does not show. A row does not depend on the others.
  void project(models::ConstMatrixView hidden, models::MatrixView logits);

 private:
  void fill_screen(const models::WeightTensor& embedding);
  // The text tokens to compute again in a row, in order.
  std::vector<std::uint32_t> choose(std::span<const float> logits) const;
  void make_exact(std::span<const std::uint32_t> tokens, std::span<const float> hidden,
                  std::span<float> logits, std::span<float> row) const;

  models::ThreadPool& pool_;
  models::TensorView embedding_;
  std::size_t n_text_tokens_;
  std::vector<float> balance_;           // [n_text_state]: the screen has weights times this
  models::QuantisedMatrix screen_;       // [n_text_state, n_text_tokens]
  models::PackedMatrix special_;         // [n_text_state, all other tokens]
  models::Matrix balanced_;              // [n_text_ctx, n_text_state], hidden states / balance_
  models::QuantisedRows hidden_;         // the same
  std::vector<std::vector<float>> row_;  // a thread: one of the embedding
  std::vector<std::vector<std::uint32_t>> chosen_;  // a row of the present call
  std::size_t n_calls_ = 0;
};

}  // namespace wnpu::decoder
