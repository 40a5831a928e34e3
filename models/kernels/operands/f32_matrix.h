// A right side in fp32 or fp16.
#pragma once

#include "models/kernels/operands/packed_b.h"

namespace wnpu::kernels {

class F32Matrix : public PackedB {
 public:
  F32Matrix() = default;
  // f32 or f16. In a part of the block, where there is one.
  F32Matrix(std::size_t k, std::size_t n, DataType number = DataType::f32,
            models::SharedBlock* block = nullptr)
      : PackedB(number, k, n, block) {}

  // Columns first_col, first_col + 1, ... of B become the rows of `b` [any, k].
  void set_columns(std::size_t first_col, ConstMatrixView b);
  // Rows first_row, first_row + 1, ... of B become the rows of `b` [any, n].
  void set_rows(std::size_t first_row, ConstMatrixView b);

 private:
  // Sets columns, as set_columns does, that lie in one panel.
  void set_panel_columns(std::size_t first_col, ConstMatrixView b);
  // A row's part in one panel.
  void set_panel_row(std::size_t row, std::size_t col, std::span<const float> values);
  template <typename T>
  T* element(std::size_t row, std::size_t col) {
    return reinterpret_cast<T*>(at(row, col));
  }
};

}  // namespace wnpu::kernels
