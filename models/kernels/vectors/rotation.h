// Rotation of rows by Hadamard matrices. Inputs and weights of a product are both rotated along k,
// which leaves the product as it is; a channel with large values is spread over many, so that
// rounding to 8 bits loses less (QuaRot, Ashkboos et al., 2024).
#pragma once

#include <cstddef>

#include "models/base/tensor.h"

namespace wnpu::kernels {

// Channels that are mixed with each other in rows of k: a power of two up to 32, of which k is a
// multiple by some multiple of 8; 1: none, rows stay as they are.
std::size_t rotation_size(std::size_t k);

// y = x H. With m = rotation_size(k), H mixes channels r, r + k / m, r + 2 k / m, ... by the
// orthogonal Hadamard matrix of m. Same shape; may be the same memory. The same bits on every
// instruction set.
void rotate(models::ConstMatrixView x, models::MatrixView y);

}  // namespace wnpu::kernels
