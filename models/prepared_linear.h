// A linear layer in the numbers of a precision.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <variant>

#include "models/gemm.h"
#include "models/packed_matrix.h"
#include "models/precision.h"
#include "models/quantised.h"
#include "models/tensor.h"
#include "models/thread_pool.h"

namespace wnpu::models {

// y = x W^T + b. In fp32, weights that are fp16 numbers are kept as such.
class PreparedLinear {
 public:
  PreparedLinear() = default;
  // Several of the same input side by side.
  PreparedLinear(ThreadPool& pool, Precision precision, std::initializer_list<ScaledLinear> parts);

  // y = finish(x W^T + b). `rows` is room for x in integers, where they are used.
  void apply(ThreadPool& pool, ConstMatrixView x, Finish finish, MatrixView y,
             QuantisedRows& rows) const;
  // The same on one thread.
  void apply(ConstMatrixView x, Finish finish, MatrixView y, QuantisedRows& rows) const;

 private:
  struct Input {
    ConstMatrixView x;
    Finish finish;
    QuantisedRows& rows;
  };
  // On the threads of a pool, or on this one.
  template <typename... Pool>
  void apply_on(const Input& in, MatrixView y, Pool&... pool) const;

  std::variant<PackedLinear, QuantisedLinear> linear_;
};

}  // namespace wnpu::models
