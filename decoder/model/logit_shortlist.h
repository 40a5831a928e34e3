// Logits from a few bits a weight, which say what tokens are worth a look at their weights as they
// are.
#pragma once

#include <cstddef>
#include <variant>
#include <vector>

#include "models/base/tensor.h"
#include "models/base/thread_pool.h"
#include "models/kernels/operands/f32_matrix.h"
#include "models/kernels/operands/i16_matrix.h"
#include "models/kernels/operands/u4_matrix.h"
#include "models/weights/precision.h"
#include "models/weights/weights.h"

namespace wnpu::decoder {

// The tokens' weights in 8 bits, for hidden states in 16.
struct ByteShortlist {
  std::vector<float> balance;  // [n_text_state]: the weights are times this
  kernels::PackedB weights;    // [n_text_state, n]
};
// In 4 bits: [n_text_state, n].
using NibbleShortlist = kernels::U4Matrix;
// OpenBLAS, where it multiplies, has weights in fp32: [n_text_state, n].
using ShortlistWeights = std::variant<ByteShortlist, NibbleShortlist, kernels::F32Matrix>;

// Screen weights for the tokens of `embedding` [n, n_text_state]: 8 bits a weight for fp32, else 4.
// Rounding moves a logit of tiny.en on speech by 0.04 or 0.25 (root mean square), and the logarithm
// of the sum of a softmax, whose 32 largest terms are exact, by 0.0001 or 0.004. Throws ModelError
// for a NaN or infinity.
ShortlistWeights pack_shortlist(const models::WeightTensor& embedding, models::ThreadPool& pool,
                                models::Precision precision);

class LogitShortlist {
 public:
  // `weights` and `pool` must outlive it.
  LogitShortlist(const ShortlistWeights& weights, models::ThreadPool& pool);

  // logits [rows, n] of hidden states [rows, n_text_state].
  void project(models::ConstMatrixView hidden, models::MatrixView logits);

 private:
  struct ByteRows {
    models::Matrix balanced;  // hidden states / balance
    kernels::I16Rows hidden;
  };

  void make_room(std::size_t n_rows);

  const ShortlistWeights& weights_;
  models::ThreadPool& pool_;
  std::size_t max_rows_ = 0;                      // the most so far
  std::variant<ByteRows, kernels::U4Rows> rows_;  // fp32 needs none
};

}  // namespace wnpu::decoder
