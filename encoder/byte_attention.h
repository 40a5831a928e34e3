// softmax(q k^T) v in bytes and bf16 (models/byte_gemm.h): what Attention does for other numbers.
// A row's weights of all keys are made at once, without its maximum: fp32's exponents, which bf16
// has too, hold 2^score as it is, and where they do not, the row's block is done again with its
// rows' maxima taken off.
#pragma once

#include <cstddef>
#include <vector>

#include "encoder/attention.h"
#include "models/bf16_matrix.h"
#include "models/byte_gemm.h"
#include "models/byte_matrix.h"
#include "models/dims.h"
#include "models/tensor.h"

namespace wnpu::encoder {

template <>
class Attention<ByteArithmetic> {
 public:
  // What a thread works with.
  class Scratch {
   public:
    explicit Scratch(const models::Dims& dims);

   private:
    friend class Attention;
    models::ByteRows queries_;        // [kBlockRows, head size]
    models::SoftmaxWeights weights_;  // [kBlockRows, n_audio_ctx]
    std::vector<float> inverse_sums_;
    models::Matrix scores_;  // [1, n_audio_ctx]
  };

  explicit Attention(const models::Dims& dims);

  // As in the general Attention.
  void set(std::size_t first, models::ConstMatrixView keys, models::ConstMatrixView values);
  void attend(models::ConstMatrixView queries, models::MatrixView attended, Scratch& scratch) const;

 private:
  struct Head {
    models::ByteMatrix keys;    // [head size, n_audio_ctx]; scores in powers of 2
    models::Bf16Matrix values;  // [n_audio_ctx, head size]
  };

  void attend_head(const Head& head, models::ConstMatrixView queries, models::MatrixView attended,
                   Scratch& scratch) const;
  // Whether every sum is one that can be divided by.
  static bool weigh(const Head& head, Scratch& scratch);
  static void shift_by_maxima(const Head& head, Scratch& scratch);

  std::size_t head_size_;
  std::vector<Head> heads_;
};

}  // namespace wnpu::encoder
