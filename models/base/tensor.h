// Row-major fp32 matrices: one owning type, two views. All a Whisper forward pass needs.
#pragma once

#include <cassert>
#include <cstddef>
#include <span>

#include "models/base/aligned_memory.h"

namespace wnpu::models {

// Read-only view of [rows, cols] floats; `stride` floats lie between the starts of two rows.
struct ConstMatrixView {
  const float* data = nullptr;
  std::size_t rows = 0;
  std::size_t cols = 0;
  std::size_t stride = 0;

  std::span<const float> row(std::size_t r) const {
    assert(r < rows);
    return {data + r * stride, cols};
  }
  ConstMatrixView row_range(std::size_t first, std::size_t count) const {
    assert(first + count <= rows);
    return {data + first * stride, count, cols, stride};
  }
  ConstMatrixView col_range(std::size_t first, std::size_t count) const {
    assert(first + count <= cols);
    return {data + first, rows, count, stride};
  }
};

// Writable view of a matrix.
struct MatrixView {
  float* data = nullptr;
  std::size_t rows = 0;
  std::size_t cols = 0;
  std::size_t stride = 0;

  operator ConstMatrixView() const { return {data, rows, cols, stride}; }  // NOLINT: a view narrows
  std::span<float> row(std::size_t r) const {
    assert(r < rows);
    return {data + r * stride, cols};
  }
  MatrixView row_range(std::size_t first, std::size_t count) const {
    assert(first + count <= rows);
    return {data + first * stride, count, cols, stride};
  }
  MatrixView col_range(std::size_t first, std::size_t count) const {
    assert(first + count <= cols);
    return {data + first, rows, count, stride};
  }
};

// Copies every element; both have the same shape. (std::ranges::copy between spans of const and
// non-const floats is a loop of single floats in GCC 12's library.)
void copy(ConstMatrixView from, MatrixView to);

// Owns [rows, cols] floats, 64-byte aligned. Move-only.
class Matrix {
 public:
  Matrix() = default;
  // All zero.
  Matrix(std::size_t rows, std::size_t cols);
  // Elements have no value yet: write each before reading it.
  static Matrix uninitialised(std::size_t rows, std::size_t cols);

  std::size_t rows() const { return rows_; }
  std::size_t cols() const { return cols_; }
  std::size_t size() const { return rows_ * cols_; }
  float* data() { return data_.get(); }
  const float* data() const { return data_.get(); }
  std::span<float> flat() { return {data(), size()}; }
  std::span<const float> flat() const { return {data(), size()}; }
  std::span<float> row(std::size_t r) { return view().row(r); }
  std::span<const float> row(std::size_t r) const { return view().row(r); }
  MatrixView view() { return {data(), rows_, cols_, cols_}; }
  ConstMatrixView view() const { return {data(), rows_, cols_, cols_}; }

 private:
  std::size_t rows_ = 0;
  std::size_t cols_ = 0;
  AlignedArray<float> data_;
};

}  // namespace wnpu::models
