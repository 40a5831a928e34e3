// softmax(q k^T) v of all heads of a layer, for a block of query rows. Keys come in chunks, whose
// softmax is put together as they pass by: scores never leave L1, and a chunk's keys and values
// stay in L2 for all rows of a block.
#pragma once

#include <cstddef>
#include <vector>

#include "encoder/cpu/cpu_arithmetic.h"
#include "models/base/dims.h"
#include "models/base/stages.h"
#include "models/base/tensor.h"
#include "models/base/thread_pool.h"
#include "models/kernels/vectors/running_softmax.h"

namespace wnpu::encoder {

template <typename Arithmetic>
class Attention {
 public:
  // Buffers of one thread.
  class Scratch {
   public:
    explicit Scratch(const models::Dims& dims);

   private:
    friend class Attention;
    models::Matrix scores_;  // [block_rows(), kChunkFrames]
    std::vector<kernels::RunningSoftmax> softmax_;
    typename Arithmetic::Rows queries_;  // [block_rows(), head size]
    typename Arithmetic::Rows weights_;  // [block_rows(), kChunkFrames]
  };

  // Room for windows with dims.n_audio_ctx rows.
  explicit Attention(const models::Dims& dims, const models::PooledPadding& pooled = {});

  // The keys and values of frames first, first + 1, ..., heads side by side: [frames,
  // n_audio_state]. first is a multiple of block_rows(), and so is the number of frames but for
  // the last ones. Threads may set frames of their own.
  void set(std::size_t first, models::ConstMatrixView keys, models::ConstMatrixView values);
  // Once every frame is set.
  void finish(models::ThreadPool& /*pool*/) {}
  // attended = softmax(queries k^T) v: [at most block_rows(), n_audio_state]. Finished.
  void attend(models::ConstMatrixView queries, models::MatrixView attended, Scratch& scratch) const;

 private:
  // A block's scores of a chunk are 24 x 240 fp32, 22 KB.
  static constexpr std::size_t kChunkFrames = 240;

  struct Chunk {
    typename Arithmetic::Matrix keys;    // [head size, frames]
    typename Arithmetic::Matrix values;  // [frames, head size]
    std::size_t first_pooled;            // of its frames
  };

  void attend_head(const std::vector<Chunk>& chunks, models::ConstMatrixView queries,
                   models::MatrixView attended, Scratch& scratch) const;
  void add_chunk(const Chunk& chunk, models::MatrixView attended, Scratch& scratch) const;

  std::size_t head_size_;
  float log_positions_;  // of a pooled frame
  std::vector<std::vector<Chunk>> heads_;
};

}  // namespace wnpu::encoder
