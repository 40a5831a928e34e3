// Operations between the products of the speaker networks, on the widest SIMD instructions of the
// machine.
#pragma once

#include <span>

#include "audio/speakers/state_dict.h"
#include "models/base/tensor.h"

namespace wnpu::audio {

// x = |x|.
void absolute(models::MatrixView x);
// y[i] = the greatest of x[3 i], x[3 i + 1], x[3 i + 2], column by column.
void max_of_three(models::ConstMatrixView x, models::MatrixView y);
// Each column to mean 0 and variance 1 (epsilon 1e-5, as torch's InstanceNorm1d), then scaled and
// shifted.
void normalise_instance(models::MatrixView x, const ChannelAffine& affine);
// x as one channel, the same way.
void normalise_wave(std::span<float> x, float scale, float shift);
// sums[c] += the sum of column c.
void add_rows(models::ConstMatrixView x, std::span<float> sums);
// Each row of x times `factors`, column by column.
void scale_columns(models::MatrixView x, std::span<const float> factors);
// x = x < 0 ? slope x : x.
void leaky_relu(std::span<float> x, float slope);
// y = max(x scale + shift, 0), of channels in columns.
void affine_relu(models::ConstMatrixView x, const ChannelAffine& affine, models::MatrixView y);

}  // namespace wnpu::audio
