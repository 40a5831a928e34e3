// The released Whisper models by name, for what is measured or modelled without their weights.
#pragma once

#include "models/base/dims.h"
#include "npu/design/layer_abi.h"
#include "npu/plans/plan_model.h"

namespace wnpu::bench {

using models::dims_of_size;
using models::size_names;

inline npu::EncoderShape encoder_shape(const models::Dims& dims) {
  return {dims.n_audio_state, dims.n_audio_head, 4 * dims.n_audio_state, dims.n_audio_layer};
}
// Whether heads have the width that the array's attention is made for.
inline bool fits_array(const models::Dims& dims) {
  return dims.n_audio_state == npu::kHeadWidth * dims.n_audio_head;
}

}  // namespace wnpu::bench
