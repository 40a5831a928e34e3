// Layers of the speaker networks, on one thread.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "audio/speakers/state_dict.h"
#include "models/base/tensor.h"
#include "models/kernels/operands/i16_matrix.h"
#include "models/kernels/operands/u8_matrix.h"
#include "models/kernels/products/linear.h"

namespace wnpu::audio {

// Numbers in which the networks' large products are fast: bytes, where the machine multiplies them.
kernels::DataType quick_number();

// A layer of weights [out, in].
kernels::Linear pack(models::Matrix weights, std::vector<float> bias,
                     kernels::DataType number = kernels::DataType::f32);
// Weights times the scale of their row, and the shifts: a layer with the normalisation that follows
// it.
kernels::Linear pack_normed(models::Matrix weights, const ChannelAffine& norm,
                            kernels::DataType number = kernels::DataType::f32);

// The left side of products: rows of floats, or rounded to i16 or u8, each by itself, where the
// weights are.
class LeftSide {
 public:
  // Room for this many.
  LeftSide(const kernels::PackedB& weight, std::size_t max_rows, std::size_t max_cols);
  kernels::PackedA of(models::ConstMatrixView x);

 private:
  float limit_;  // of the integers
  std::optional<kernels::I16Rows> words_;
  std::optional<kernels::U8Rows> bytes_;
};

// y = finish(x W^T + b).
void apply(const kernels::Linear& layer, models::ConstMatrixView x, models::MatrixView y,
           kernels::Finish finish = kernels::Finish::replace);
// y[i] = sum of x[i + t dilation] W[t]^T over the taps, with the first one's bias.
void apply_taps(std::span<const kernels::Linear> taps, std::size_t dilation,
                models::ConstMatrixView x, models::MatrixView y);

}  // namespace wnpu::audio
