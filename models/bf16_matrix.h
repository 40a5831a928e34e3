// Operands in bf16, rounded to the nearest, for CPUs that multiply two of them and add up the
// products in fp32 in one instruction (AVX512-BF16): the stem's convolutions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "models/aligned_memory.h"
#include "models/tensor.h"

namespace wnpu::models {

// Two neighbours in k.
struct alignas(4) Bf16Pair {
  std::uint16_t even = 0;
  std::uint16_t odd = 0;
};

// The left side of a product: rows, the last pair of an odd one half 0.
class Bf16Rows {
 public:
  Bf16Rows() = default;
  // All 0.
  Bf16Rows(std::size_t rows, std::size_t cols);

  std::size_t stride() const { return stride_; }  // pairs
  Bf16Pair* row(std::size_t r) { return pairs_.get() + r * stride_; }
  const Bf16Pair* row(std::size_t r) const { return pairs_.get() + r * stride_; }
  // Row r becomes x.
  void set_row(std::size_t r, std::span<const float> x);

 private:
  std::size_t stride_ = 0;
  AlignedArray<Bf16Pair> pairs_;
};

// The right side B [k, n] as panels of two vectors' columns: [pairs of k][columns][2]. The last
// pair of an odd k is half 0.
class Bf16Matrix {
 public:
  Bf16Matrix() = default;
  // All 0.
  Bf16Matrix(std::size_t k, std::size_t n);

  std::size_t k() const { return k_; }
  std::size_t n() const { return n_; }
  std::size_t n_pairs() const { return (k_ + 1) / 2; }
  std::size_t panel_cols() const { return panel_cols_; }
  std::size_t n_panels() const {
    return panel_cols_ == 0 ? 0 : (n_ + panel_cols_ - 1) / panel_cols_;
  }
  std::size_t panel_pairs() const { return n_pairs() * panel_cols_; }
  const Bf16Pair* panel(std::size_t i) const { return data_.get() + i * panel_pairs(); }

  // Columns first_col, first_col + 1, ... of B become the rows of `b` [any, k].
  void set_columns(std::size_t first_col, ConstMatrixView b);

 private:
  std::size_t k_ = 0;
  std::size_t n_ = 0;
  std::size_t panel_cols_ = 0;
  AlignedArray<Bf16Pair> data_;
};

// y = x W^T + b.
struct Bf16Linear {
  Bf16Matrix weight;        // [in, out]
  std::vector<float> bias;  // [out]; empty: none
};

}  // namespace wnpu::models
