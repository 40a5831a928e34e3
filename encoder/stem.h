// What comes before the transformer layers: two convolutions, GELU, positions. On the CPU for
// every backend: 1 % of the encoder's arithmetic.
#pragma once

#include "models/dims.h"
#include "models/packed_matrix.h"
#include "models/stages.h"
#include "models/tensor.h"
#include "models/thread_pool.h"
#include "models/weights.h"

namespace wnpu::encoder {

class Stem {
 public:
  // Packs the convolutions; the positional embedding must outlive the stem.
  Stem(const models::Dims& dims, const models::EncoderEnds& ends, models::ThreadPool& pool);

  // mel [n_mels, 2 n_audio_ctx] -> states [n_audio_ctx, n_audio_state]:
  // gelu(conv1), gelu(conv2 with stride 2), + positional_embedding.
  void run(models::ThreadPool& pool, const models::LogMel& mel, models::MatrixView states);

 private:
  models::PackedLinear conv1_;       // [3 n_mels, n_audio_state]
  models::PackedLinear conv2_;       // [3 n_audio_state, n_audio_state]
  const models::Matrix& positions_;  // [n_audio_ctx, n_audio_state]
  models::Matrix
      frames_;  // [1 + n_mel_frames + 1, n_mels]: mel by frame, a zero frame at both ends
  models::Matrix hidden_;  // [1 + n_mel_frames + 1, n_audio_state]: likewise
};

}  // namespace wnpu::encoder
