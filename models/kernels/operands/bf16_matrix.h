// Operands in bf16, rounded to the nearest, for CPUs that multiply two of them and add up the
// products in fp32 in one instruction (AVX512-BF16): the stem's convolutions.
#pragma once

#include <cstdint>

#include "models/kernels/operands/packed_a.h"
#include "models/kernels/operands/packed_b.h"

namespace wnpu::kernels {

struct alignas(4) Bf16Pair {
  std::uint16_t q[2] = {};
};

class Bf16Rows : public Rows<Bf16Pair> {
 public:
  Bf16Rows() = default;
  // All 0.
  Bf16Rows(std::size_t rows, std::size_t cols);

  // Row r becomes x.
  void set_row(std::size_t r, std::span<const float> x);
};

class Bf16Matrix : public PackedB {
 public:
  Bf16Matrix() = default;
  Bf16Matrix(std::size_t k, std::size_t n) : PackedB(DataType::bf16, k, n) {}

  // Columns first_col, first_col + 1, ... of B become the rows of `b` [any, k].
  void set_columns(std::size_t first_col, ConstMatrixView b);
};

}  // namespace wnpu::kernels
