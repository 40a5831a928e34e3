// A linear layer, whatever its weights' numbers are.
#pragma once

#include <cstddef>
#include <vector>

#include "models/kernels/operands/i16_matrix.h"
#include "models/kernels/operands/u8_matrix.h"
#include "models/kernels/products/gemm.h"

namespace wnpu::kernels {

// Who wants to know what a layer is given.
class InputWatcher {
 public:
  virtual ~InputWatcher() = default;
  // From any thread, some rows at a time.
  virtual void see(ConstMatrixView x) = 0;
};

// y = x W^T + b. In f32, f16, i16, i8 or u8.
struct Linear {
  PackedB weight;           // [in, out]
  std::vector<float> bias;  // [out]; empty: none
  bool is_rotated = false;  // the weights are, so x has to be (models/kernels/vectors/rotation.h)
  InputWatcher* watcher = nullptr;

  // Buffer of one thread in which x is converted to the numbers that the weights are multiplied by.
  struct Scratch {
    Scratch() = default;
    // For weights in these numbers; u8: in i16 as well.
    Scratch(DataType number, std::size_t max_rows, std::size_t max_cols);
    I16Rows i16;
    U8Rows u8;
    models::Matrix rotated;  // [rows, cols]
  };

  // y = finish(x W^T + b). f32 and f16 need no scratch.
  void apply(models::ThreadPool& pool, ConstMatrixView x, Finish finish, MatrixView y,
             Scratch& scratch) const;
  // Product on one thread.
  void apply(ConstMatrixView x, Finish finish, MatrixView y, Scratch& scratch) const;
};

}  // namespace wnpu::kernels
