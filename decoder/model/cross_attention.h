// Cross-attention keys and values of a window, computed once for all its tokens and read whole for
// every one of them.
#pragma once

#include <cstddef>
#include <span>
#include <variant>
#include <vector>

#include "models/base/aligned_memory.h"
#include "models/base/dims.h"
#include "models/base/stages.h"
#include "models/base/tensor.h"
#include "models/kernels/operands/f32_matrix.h"
#include "models/kernels/operands/i16_matrix.h"
#include "models/kernels/vectors/running_softmax.h"
#include "models/weights/precision.h"

namespace wnpu::decoder {

// Keys and values of one head. fp32 keeps them in fp32; int16 in fp16, int8 in 8 bits with a scale
// a frame, errors smaller than those of the weights.
class CrossHead {
 public:
  // Buffers of one thread.
  struct Scratch {
    Scratch(const models::Dims& dims, std::size_t max_queries);
    models::Matrix scores;     // [max_queries, n_audio_ctx]
    kernels::I16Rows queries;  // [max_queries, head size]
    kernels::I16Rows weights;  // [max_queries, n_audio_ctx]
    std::vector<kernels::RunningSoftmax> softmax;
  };

  // Room for dims.n_audio_ctx frames, inside `block`, or in memory of its own where that is null.
  CrossHead(const models::Dims& dims, models::Precision precision,
            const models::PooledPadding& pooled, models::SharedBlock* block = nullptr);
  // Bytes that it takes of a block.
  std::size_t size_bytes() const;
  std::size_t n_frames() const;
  // Whether the windows that it is for have as many rows, and as many of them pooled.
  bool fits(const models::EncoderStates& states) const;

  // Keys and values of frames first, first + 1, ...: [frames, head size]. An even number of frames,
  // but for the last ones. Threads may set frames of their own.
  void set(std::size_t first, models::ConstMatrixView keys, models::ConstMatrixView values);
  // scores = queries k^T: [queries, head size] -> [queries, n_audio_ctx].
  void score(models::ConstMatrixView queries, models::MatrixView scores, Scratch& scratch) const;
  // attended = softmax(queries k^T) v: [at most max_queries, head size].
  void attend(models::ConstMatrixView queries, models::MatrixView attended, Scratch& scratch) const;

 private:
  struct Floats {
    kernels::F32Matrix keys;    // [head size, n_audio_ctx]
    kernels::F32Matrix values;  // [n_audio_ctx, head size]
  };
  struct Integers {
    kernels::I16Matrix keys;
    kernels::I16Matrix values;
  };
  static void attend_integers(const Integers& head, models::MatrixView scores,
                              models::MatrixView attended, Scratch& scratch);

  std::variant<Floats, Integers> kv_;
  models::PooledPadding pooled_;
};

// A window's heads, in huge pages together: each token reads all of them (a step of eight windows
// is a fifteenth faster for it).
class CrossKv {
 public:
  CrossKv() = default;  // none
  // Room for windows with dims.n_audio_ctx rows.
  CrossKv(const models::Dims& dims, models::Precision precision,
          const models::PooledPadding& pooled);

  bool fits(const models::EncoderStates& states) const {
    return !heads_.empty() && heads_.front().fits(states);
  }
  std::size_t n_frames() const { return heads_.empty() ? 0 : heads_.front().n_frames(); }
  std::span<CrossHead> heads() { return heads_; }
  // A decoder layer and head, at layer * n_text_head + head.
  std::span<const CrossHead> heads() const { return heads_; }

 private:
  models::SharedBlock block_;
  std::vector<CrossHead> heads_;
};

}  // namespace wnpu::decoder
