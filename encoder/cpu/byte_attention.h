// softmax(q k^T) v in bytes (models/kernels/products/gemm.h): what Attention does for other
// numbers. A row's scores of all keys are there, in 16 bits, before its weights are made.
#pragma once

#include <cstddef>
#include <vector>

#include "encoder/cpu/attention.h"
#include "models/base/dims.h"
#include "models/base/tensor.h"
#include "models/base/thread_pool.h"
#include "models/kernels/operands/u8_matrix.h"
#include "models/kernels/operands/u8_softmax.h"

namespace wnpu::encoder {

template <>
class Attention<ByteArithmetic> {
 public:
  // Buffers of one thread.
  class Scratch {
   public:
    explicit Scratch(const models::Dims& dims);

   private:
    friend class Attention;
    kernels::U8Rows queries_;      // [block_rows(), head size]
    kernels::ScoreRows scores_;    // [block_rows(), n_audio_ctx]
    kernels::U8Rows weights_;      // [block_rows(), n_audio_ctx]
    models::Matrix exact_scores_;  // [1, n_audio_ctx]
  };

  explicit Attention(const models::Dims& dims, const models::PooledPadding& pooled = {});

  // As in the general Attention. A value's scale is its column's, for which all frames have to be
  // there: values wait for finish().
  void set(std::size_t first, models::ConstMatrixView keys, models::ConstMatrixView values);
  void finish(models::ThreadPool& pool);
  void attend(models::ConstMatrixView queries, models::MatrixView attended, Scratch& scratch) const;

 private:
  struct Head {
    kernels::U8Matrix keys;    // [head size, n_audio_ctx]; scores in steps of u8_softmax.h
    kernels::U8Matrix values;  // [n_audio_ctx, head size]
  };

  void attend_head(const Head& head, models::ConstMatrixView queries, models::MatrixView attended,
                   Scratch& scratch) const;
  // The scores of scratch.queries_.
  void score(const Head& head, Scratch& scratch) const;
  // Takes their maxima off the scores, which 16 bits hold then, whatever the maxima are.
  static void shift_by_maxima(const Head& head, Scratch& scratch);

  std::size_t head_size_;
  models::PooledPadding pooled_;
  std::vector<Head> heads_;
  models::Matrix values_;  // [n_audio_ctx, n_audio_state]
};

}  // namespace wnpu::encoder
