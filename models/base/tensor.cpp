#include "models/base/tensor.h"

#include <algorithm>

namespace wnpu::models {

void copy(ConstMatrixView from, MatrixView to) {
  assert(from.rows == to.rows && from.cols == to.cols);
  for (std::size_t r = 0; r < from.rows; ++r)
    std::copy_n(from.row(r).data(), from.cols, to.row(r).data());
}

Matrix::Matrix(std::size_t rows, std::size_t cols)
    : rows_(rows), cols_(cols), data_(allocate_zeros<float>(rows * cols)) {}

Matrix Matrix::uninitialised(std::size_t rows, std::size_t cols) {
  Matrix m;
  m.rows_ = rows;
  m.cols_ = cols;
  m.data_ = allocate_aligned<float>(rows * cols);
  return m;
}

}  // namespace wnpu::models
