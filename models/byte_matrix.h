// Operands of 8 bits, for CPUs that multiply bytes and add up four products in one instruction
// (AVX512-VNNI). The left side is unsigned: x = scale * (q - zero), q from 0 to 255, scale and zero
// a row's own. The right side is signed: x = scale * q, |q| at most 127, a scale a column. Sums are
// exact in int32 over all of k; zero's part of them is zero * (sum of the column's q).
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "models/aligned_memory.h"
#include "models/byte_softmax.h"
#include "models/packed_matrix.h"
#include "models/tensor.h"
#include "models/thread_pool.h"

namespace wnpu::models {

// Four neighbours in k of a left row, which the kernels multiply together.
struct alignas(4) ByteQuad {
  std::uint8_t q[4] = {};
};

// The left side of a product.
class ByteRows {
 public:
  ByteRows() = default;
  // Room for this many.
  ByteRows(std::size_t max_rows, std::size_t max_cols);

  std::size_t n_rows() const { return n_rows_; }
  std::size_t n_quads() const { return n_quads_; }
  std::size_t stride() const { return stride_; }  // quads
  const ByteQuad* row(std::size_t r) const { return quads_.get() + r * stride_; }
  std::span<const float> scales() const { return scales_; }
  std::span<const float> offsets() const { return offsets_; }  // -scale * zero

  // Becomes x; on the threads of a pool, where there is one.
  void set(ConstMatrixView x);
  void set(ThreadPool& pool, ConstMatrixView x);
  // Becomes the softmax of the scores, for which there is room in whole groups. False where a row's
  // largest score may have been cut off: its scale is no number then.
  bool set_softmax(const ScoreRows& scores);

 private:
  void resize(std::size_t rows, std::size_t cols);
  void set_row(std::size_t r, std::span<const float> x);

  std::size_t n_rows_ = 0;
  std::size_t n_quads_ = 0;
  std::size_t stride_ = 0;
  AlignedArray<ByteQuad> quads_;
  std::vector<float> scales_;
  std::vector<float> offsets_;
};

// The right side B [k, n] as panels of two vectors' columns: [quads of k][columns][4].
class ByteMatrix {
 public:
  ByteMatrix() = default;
  // All 0.
  ByteMatrix(std::size_t k, std::size_t n);

  std::size_t k() const { return k_; }
  std::size_t n() const { return n_; }
  std::size_t n_quads() const { return (k_ + 3) / 4; }
  std::size_t panel_cols() const { return panel_cols_; }
  std::size_t n_panels() const {
    return panel_cols_ == 0 ? 0 : (n_ + panel_cols_ - 1) / panel_cols_;
  }
  std::size_t panel_bytes() const { return 4 * n_quads() * panel_cols_; }
  const std::int8_t* panel(std::size_t i) const { return data_.get() + i * panel_bytes(); }
  std::size_t size_bytes() const { return n_panels() * panel_bytes(); }
  // Of the columns, up to the end of the last panel: scales, and sums of q.
  std::span<const float> scales() const { return scales_; }
  std::span<const float> sums() const { return sums_; }

  // Columns first_col, first_col + 1, ... of B become the rows of `b` [any, k], each by its scale
  // times `factor`. Threads may set columns of their own.
  void set_columns(std::size_t first_col, ConstMatrixView b, float factor = 1);
  // B becomes `b` [k, n].
  void set(ConstMatrixView b);

 private:
  // Rows 4 quad, ... of b; sums are those of q.
  void set_quads(std::size_t quad, ConstMatrixView b, std::span<const float> factors,
                 std::span<std::int32_t> sums);

  std::size_t k_ = 0;
  std::size_t n_ = 0;
  std::size_t panel_cols_ = 0;
  std::vector<float> scales_;
  std::vector<float> sums_;
  AlignedArray<std::int8_t> data_;
};

// y = x W^T + b.
struct ByteLinear {
  ByteMatrix weight;        // [in, out]
  std::vector<float> bias;  // [out]; empty: none
};
// Several of the same input side by side, read as pack_weights does it (models/packed_matrix.h).
ByteLinear bytes_side_by_side(ThreadPool& pool, std::initializer_list<ScaledLinear> parts);

}  // namespace wnpu::models
