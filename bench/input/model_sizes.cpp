#include "bench/input/model_sizes.h"

#include "npu/design/layer_abi.h"

namespace wnpu::bench {

npu::EncoderShape encoder_shape(const models::Dims& dims) {
  return {dims.n_audio_state, dims.n_audio_head, 4 * dims.n_audio_state, dims.n_audio_layer};
}

bool fits_array(const models::Dims& dims) {
  return dims.n_audio_state == npu::kHeadWidth * dims.n_audio_head;
}

}  // namespace wnpu::bench
