#include "models/tensor.h"

#include <algorithm>

namespace wnpu::models {

Matrix::Matrix(std::size_t rows, std::size_t cols) : Matrix(uninitialised(rows, cols)) {
  std::ranges::fill(flat(), 0.0F);
}

Matrix Matrix::uninitialised(std::size_t rows, std::size_t cols) {
  Matrix m;
  m.rows_ = rows;
  m.cols_ = cols;
  m.data_ = allocate_aligned<float>(rows * cols);
  return m;
}

}  // namespace wnpu::models
