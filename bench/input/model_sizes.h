// The released Whisper models by name, for what is measured or modelled without their weights.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "models/base/dims.h"
#include "npu/plans/plan_model.h"

namespace wnpu::bench {

// "tiny" ... "large-v3-turbo", smallest first.
std::span<const std::string_view> size_names();
// The multilingual model of that size.
std::optional<models::Dims> dims_of_size(std::string_view name);

npu::EncoderShape encoder_shape(const models::Dims& dims);
// What the array's attention is made for (npu/design/layer_abi.h kHeadWidth).
bool fits_array(const models::Dims& dims);

// Operations of one transformer layer over so many positions, 2 a multiply-accumulate: the four
// products, the scores and their sum. What is counted for GFLOP/s and for estimates of cost.
double layer_operations(const models::Dims& dims, std::size_t frames);

}  // namespace wnpu::bench
