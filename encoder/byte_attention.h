// softmax(q k^T) v in bytes (models/byte_gemm.h): what Attention does for other numbers. A row's
// scores of all keys are there, in 16 bits, before its weights are made.
#pragma once

#include <cstddef>
#include <vector>

#include "encoder/attention.h"
#include "models/byte_gemm.h"
#include "models/byte_matrix.h"
#include "models/byte_softmax.h"
#include "models/dims.h"
#include "models/tensor.h"
#include "models/thread_pool.h"

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
    models::ByteRows queries_;     // [block_rows(), head size]
    models::ScoreRows scores_;     // [block_rows(), n_audio_ctx]
    models::ByteRows weights_;     // [block_rows(), n_audio_ctx]
    models::Matrix exact_scores_;  // [1, n_audio_ctx]
  };

  explicit Attention(const models::Dims& dims);

  // As in the general Attention. A value's scale is its column's, for which all frames have to be
  // there: values wait for finish().
  void set(std::size_t first, models::ConstMatrixView keys, models::ConstMatrixView values);
  void finish(models::ThreadPool& pool, models::ConstMatrixView values);
  void attend(models::ConstMatrixView queries, models::MatrixView attended, Scratch& scratch) const;

 private:
  struct Head {
    models::ByteMatrix keys;    // [head size, n_audio_ctx]; scores in steps of byte_softmax.h
    models::ByteMatrix values;  // [n_audio_ctx, head size]
  };

  void attend_head(const Head& head, models::ConstMatrixView queries, models::MatrixView attended,
                   Scratch& scratch) const;
  // Takes their maxima off the scores, which 16 bits hold then, whatever the maxima are.
  static void shift_by_maxima(const Head& head, Scratch& scratch);

  std::size_t head_size_;
  std::vector<Head> heads_;
};

}  // namespace wnpu::encoder
