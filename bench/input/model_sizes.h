// The released Whisper models by name, for what is measured or modelled without their weights.
#pragma once

#include "models/base/dims.h"
#include "npu/plans/plan_model.h"

namespace wnpu::bench {

using models::dims_of_size;
using models::size_names;

npu::EncoderShape encoder_shape(const models::Dims& dims);
// Whether heads have the width that the array's attention is made for (npu/design/layer_abi.h
// kHeadWidth).
bool fits_array(const models::Dims& dims);

}  // namespace wnpu::bench
