// Operands of 8 bits, for CPUs that multiply bytes and add up four products in one instruction
// (VNNI, ARM's sdot), and of 7 for AVX2 (byte_limits()). The left side is unsigned: x = scale * (q
// - zero), q from 0 to 255, scale and zero a row's own. The right side is signed: x = scale * q,
// |q| at most 127, a scale a column. Sums are exact in int32 over all of k; zero's part of them is
// zero * (sum of the column's q).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "models/kernels/operands/packed_a.h"
#include "models/kernels/operands/packed_b.h"
#include "models/kernels/operands/u8_softmax.h"

namespace wnpu::kernels {

struct alignas(4) U8Quad {
  std::uint8_t q[4] = {};
};

// The left side. offsets(): -scale * zero.
class U8Rows : public Rows<U8Quad> {
 public:
  U8Rows() = default;
  // Room for this many.
  U8Rows(std::size_t max_rows, std::size_t max_cols);

  // Becomes x; on the threads of a pool, where there is one.
  void set(ConstMatrixView x);
  void set(models::ThreadPool& pool, ConstMatrixView x);
  // Becomes the softmax of the scores, for which there is room in whole groups. False where a row's
  // largest score may have been cut off: its scale is no number then.
  bool set_softmax(const ScoreRows& scores);

 private:
  void set_row(std::size_t r, std::span<const float> x);
};

class U8Matrix : public PackedB {
 public:
  U8Matrix() = default;
  U8Matrix(std::size_t k, std::size_t n);

  // Columns first_col, first_col + 1, ... of B become the rows of `b` [any, k], each by its scale
  // times `factor`. Threads may set columns of their own.
  void set_columns(std::size_t first_col, ConstMatrixView b, float factor = 1);
  // B becomes `b` [k, n].
  void set(ConstMatrixView b);

 private:
  // Rows 4 quad, ... of b; sums are those of q.
  void set_quads(std::size_t quad, ConstMatrixView b, std::span<const float> factors,
                 std::span<std::int32_t> sums);
};

}  // namespace wnpu::kernels
