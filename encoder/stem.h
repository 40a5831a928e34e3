// Stem of the encoder, before the transformer layers: two convolutions, GELU, positions. On the CPU
// for every backend: a small part of the encoder's arithmetic.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "models/base/dims.h"
#include "models/base/stages.h"
#include "models/base/tensor.h"
#include "models/base/thread_pool.h"
#include "models/kernels/operands/bf16_matrix.h"
#include "models/kernels/operands/i16_matrix.h"
#include "models/kernels/products/linear.h"
#include "models/weights/precision.h"
#include "models/weights/weights.h"

namespace wnpu::encoder {

// Packed weights of the two convolutions, the positional embedding and the final layer norm.
// Read-only: any number of encoders may share them.
struct PackedStemAndNorm {
  // int8: the convolutions in bf16, where the CPU has instructions for it, else in 16 bits.
  // The ends may go afterwards, but not a store of operands that they came out of.
  PackedStemAndNorm(const models::Dims& of_model, const models::EncoderEndTensors& ends,
                    models::ThreadPool& pool,
                    models::Precision precision = models::Precision::fp32);
  PackedStemAndNorm(const models::Dims& of_model, const models::EncoderEnds& ends,
                    models::ThreadPool& pool, models::Precision precision = models::Precision::fp32)
      : PackedStemAndNorm(of_model, models::tensors_of(ends), pool, precision) {}

  models::Dims dims;
  kernels::Linear conv1;     // [3 n_mels, n_audio_state], the taps' weights one behind the other
  kernels::Linear conv2;     // [3 n_audio_state, n_audio_state]
  models::Matrix positions;  // [n_audio_ctx, n_audio_state]
  kernels::LayerNorm ln_post;
};

// Three taps wide. Holds a block of input frames, in the number format of its weights (fp32, bf16
// or int16).
class Convolution {
 public:
  // `weights` [3 in, out] must outlive it.
  Convolution(const kernels::Linear& weights, std::size_t n_frames);

  // The block: [at most n_frames, in].
  void set(models::ConstMatrixView frames);
  // y = gelu(conv) of the block's frames 0 .. 2, step .. step + 2, ...: [any, out].
  void run(std::size_t step, models::MatrixView y) const;

 private:
  kernels::PackedA frames() const;

  const kernels::Linear& weights_;
  models::Matrix frames_;      // [n_frames, in]; or
  kernels::Bf16Rows halves_;   // the same in bf16; or
  kernels::I16Rows integers_;  // in int16, whose scale is the block's
};

class Stem {
 public:
  // `ends` must outlive the stem.
  Stem(const PackedStemAndNorm& ends, std::size_t n_threads);

  // mel [n_mels, 2 n_audio_ctx] -> states [n_audio_ctx, n_audio_state]:
  // gelu(conv1), gelu(conv2 with stride 2), + positional_embedding. A pool of n_threads.
  void run(models::ThreadPool& pool, const models::LogMel& mel, models::MatrixView states);

 private:
  // Buffers of one thread for the states of a block: they see a frame more at both ends.
  struct Scratch {
    Scratch(const PackedStemAndNorm& ends, std::size_t n_states);

    models::Matrix mel;     // [2 n_states + 3, n_mels]
    models::Matrix hidden;  // [2 n_states + 1, n_audio_state], between the convolutions
    Convolution conv1;
    Convolution conv2;
  };

  static void run_block(const models::LogMel& mel, std::size_t first, models::MatrixView states,
                        Scratch& scratch);

  const models::Matrix& positions_;  // [n_audio_ctx, n_audio_state]
  std::vector<Scratch> scratch_;     // a thread
};

}  // namespace wnpu::encoder
