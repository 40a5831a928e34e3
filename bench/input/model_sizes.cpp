#include "bench/input/model_sizes.h"

#include "npu/design/layer_abi.h"

namespace wnpu::bench {

npu::EncoderShape encoder_shape(const models::Dims& dims) {
  return {dims.n_audio_state, dims.n_audio_head, 4 * dims.n_audio_state, dims.n_audio_layer};
}

bool fits_array(const models::Dims& dims) {
  return dims.n_audio_state == npu::kHeadWidth * dims.n_audio_head;
}

double layer_operations(const models::Dims& dims, std::size_t frames) {
  const auto n = static_cast<double>(frames);
  const auto width = static_cast<double>(dims.n_audio_state);
  // qkv 3, out 1, mlp 4 + 4 weights of width^2; scores and their sum n * n * width each.
  return 2 * (12 * n * width * width + 2 * n * n * width);
}

}  // namespace wnpu::bench
