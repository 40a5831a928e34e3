// Rows that lie anywhere in a matrix, as a sequence's past does in its pool: the two products of
// self-attention. On the widest SIMD instructions of the machine, one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "models/base/tensor.h"

namespace wnpu::kernels {

// A matrix, and which of its rows, in order. A view.
struct GatheredRows {
  models::ConstMatrixView of;
  std::span<const std::uint32_t> rows;

  std::size_t size() const { return rows.size(); }
};

// Rows of a matrix in fp16, gathered likewise.
struct GatheredHalves {
  const std::uint16_t* data;
  std::size_t stride;  // of the matrix' rows
  std::size_t cols;
  std::span<const std::uint32_t> rows;

  std::size_t size() const { return rows.size(); }
};

// out[i] = x . row i: [rows].
void dot_rows(std::span<const float> x, const GatheredRows& rows, std::span<float> out);
void dot_rows(std::span<const float> x, const GatheredHalves& rows, std::span<float> out);
// out = sum of weights[i] * row i: [cols].
void add_up_rows(std::span<const float> weights, const GatheredRows& rows, std::span<float> out);
void add_up_rows(std::span<const float> weights, const GatheredHalves& rows, std::span<float> out);

}  // namespace wnpu::kernels
