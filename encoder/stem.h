// What comes before the transformer layers: two convolutions, GELU, positions. On the CPU for
// every backend: 5 % of the encoder's arithmetic for tiny, less for all others.
#pragma once

#include <cstddef>
#include <span>
#include <variant>
#include <vector>

#include "models/bf16_matrix.h"
#include "models/dims.h"
#include "models/packed_matrix.h"
#include "models/precision.h"
#include "models/stages.h"
#include "models/tensor.h"
#include "models/thread_pool.h"
#include "models/weights.h"

namespace wnpu::encoder {

// Three taps wide, a frame of zeros at both ends. It holds its input, in the precision of its
// products.
class Convolution {
 public:
  // Where `with_bf16`, in bf16, else in fp32.
  Convolution(models::ThreadPool& pool, const models::Linear& weights, std::size_t n_frames,
              bool with_bf16);

  // Frame i of the input: [in]. Threads may set frames of their own.
  void set_frame(std::size_t i, std::span<const float> x);
  // y = gelu(conv), around the input's frames first, first + step, ...: [any, out]. One thread.
  void run(std::size_t first, std::size_t step, models::MatrixView y) const;

 private:
  // Weights [3 in, out]; frames [1 + n_frames + 1, in], the first and the last 0.
  struct InFp32 {
    models::PackedLinear linear;
    models::Matrix frames;
  };
  struct InBf16 {
    models::Bf16Linear linear;
    models::Bf16Rows frames;
  };
  std::variant<InFp32, InBf16> in_;
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

  Convolution conv1_;                    // n_mels -> n_audio_state
  Convolution conv2_;                    // n_audio_state -> n_audio_state
  const models::Matrix& positions_;      // [n_audio_ctx, n_audio_state]
  std::vector<models::Matrix> scratch_;  // a thread: frames together
};

}  // namespace wnpu::encoder
