// The token embedding, at both ends of the decoder: a token's row, and the product of a hidden
// state with all rows, its logits. That product would be half of what a step reads, so it is made
// with a few bits a weight (decoder/model/logit_shortlist.h), and then again with the weights as
// they are for all tokens that may matter.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decoder/model/logit_shortlist.h"
#include "models/base/dims.h"
#include "models/base/stages.h"
#include "models/base/tensor.h"
#include "models/base/thread_pool.h"
#include "models/kernels/operands/packed_b.h"
#include "models/weights/precision.h"
#include "models/weights/weights.h"

namespace wnpu::decoder {

// The embedding, as it lies in the file and packed; for any number of projections.
struct PackedVocabulary {
  // `tensor`, the embedding [n_vocab, n_text_state], must outlive it. Throws ModelError for a NaN
  // or infinity.
  PackedVocabulary(const models::Dims& dims, const models::WeightTensor& tensor,
                   models::ThreadPool& pool, models::Precision precision);

  models::TensorView embedding;
  std::size_t n_text_tokens;
  ShortlistWeights shortlist;  // text tokens
  kernels::PackedB special;    // [n_text_state, all other tokens]
};

class VocabularyProjection {
 public:
  // `vocabulary` and `pool` must outlive it.
  VocabularyProjection(const PackedVocabulary& vocabulary, models::ThreadPool& pool);

  // The row of `token`: [n_text_state].
  void embed(models::TokenId token, std::span<float> out) const;
  // logits [rows, n_vocab] of hidden states [rows, n_text_state]. In fp32
  // from the weights as they are: the likeliest text tokens (32 at least, and up to 128 within
  // 4 of the likeliest) and every special token, timestamps included. All others are near, by the
  // shortlist's bits: 8 in fp32, 4 in other precisions. A row does not depend on the others.
  void project(models::ConstMatrixView hidden, models::MatrixView logits);

 private:
  // The text tokens to compute again in a row, in order.
  std::vector<std::uint32_t> choose(std::span<const float> logits) const;
  void make_exact(std::span<const std::uint32_t> tokens, std::span<const float> hidden,
                  std::span<float> logits, std::span<float> row) const;

  const PackedVocabulary& vocabulary_;
  models::ThreadPool& pool_;
  LogitShortlist shortlist_;
  std::vector<std::vector<float>> row_;             // a thread: one of the embedding
  std::vector<std::vector<std::uint32_t>> chosen_;  // a row of the present call
  std::size_t n_calls_ = 0;
  std::size_t n_hidden_ = 0;
};

}  // namespace wnpu::decoder
