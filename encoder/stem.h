// What comes before the transformer layers: two convolutions, GELU, positions. On the CPU for
// every backend: 5 % of the encoder's arithmetic for tiny, less for all others.
#pragma once

#include <cstddef>
#include <variant>

#include "models/bf16_matrix.h"
#include "models/dims.h"
#include "models/packed_matrix.h"
#include "models/precision.h"
#include "models/stages.h"
#include "models/tensor.h"
#include "models/thread_pool.h"
#include "models/weights.h"

namespace wnpu::encoder {

// Three taps wide, a frame of zeros at both ends.
class Convolution {
 public:
  // Where `with_bf16`, in bf16, else in fp32.
  Convolution(models::ThreadPool& pool, const models::Linear& weights, std::size_t max_frames,
              bool with_bf16);

  // y = gelu(conv(x)): x [1 + n + 1, in], first and last row 0, y [n or n / 2, out].
  void run(models::ThreadPool& pool, models::ConstMatrixView x, models::MatrixView y);

 private:
  std::variant<models::PackedLinear, models::Bf16Linear> weights_;  // [3 in, out]
  models::Bf16Rows rounded_;                                        // x
};

class Stem {
 public:
  // Packs the convolutions; the positional embedding must outlive the stem. int8: in bf16, where
  // the CPU has instructions for it.
  Stem(const models::Dims& dims, const models::EncoderEnds& ends, models::ThreadPool& pool,
       models::Precision precision = models::Precision::fp32);

  // mel [n_mels, 2 n_audio_ctx] -> states [n_audio_ctx, n_audio_state]:
  // gelu(conv1), gelu(conv2 with stride 2), + positional_embedding.
  void run(models::ThreadPool& pool, const models::LogMel& mel, models::MatrixView states);

 private:
  Stem(const models::Dims& dims, const models::EncoderEnds& ends, models::ThreadPool& pool,
       bool with_bf16);

  Convolution conv1_;                // n_mels -> n_audio_state
  Convolution conv2_;                // n_audio_state -> n_audio_state
  const models::Matrix& positions_;  // [n_audio_ctx, n_audio_state]
  models::Matrix
      frames_;  // [1 + n_mel_frames + 1, n_mels]: mel by frame, a zero frame at both ends
  models::Matrix hidden_;  // [1 + n_mel_frames + 1, n_audio_state]: likewise
};

}  // namespace wnpu::encoder
