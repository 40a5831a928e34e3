#include "models/base/tensor.h"

namespace wnpu::models {

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
