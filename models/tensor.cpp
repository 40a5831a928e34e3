#include "models/tensor.h"

#include <algorithm>

namespace wnpu::models {

Matrix::Matrix(std::size_t rows, std::size_t cols)
    : rows_(rows),
      cols_(cols),
      data_(
          static_cast<float*>(::operator new[](rows* cols * sizeof(float), std::align_val_t{64}))) {
  std::fill_n(data_.get(), rows * cols, 0.0F);
}

}  // namespace wnpu::models
