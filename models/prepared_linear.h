// A linear layer in the numbers of a precision.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <variant>

#include "models/byte_matrix.h"
#include "models/gemm.h"
#include "models/packed_matrix.h"
#include "models/precision.h"
#include "models/quantised.h"
#include "models/tensor.h"
#include "models/thread_pool.h"

namespace wnpu::models {

// y = x W^T + b. In fp32, weights that are fp16 numbers are kept as such. In int8, x has 8 bits too
// where the CPU multiplies bytes.
class PreparedLinear {
 public:
  // Room for x in integers; a thread's own.
  struct Room {
    Room() = default;
    Room(std::size_t max_rows, std::size_t max_cols)
        : integers(max_rows, max_cols), bytes(max_rows, max_cols) {}
    QuantisedRows integers;
    ByteRows bytes;
  };

  PreparedLinear() = default;
  // Several of the same input side by side.
  PreparedLinear(ThreadPool& pool, Precision precision, std::initializer_list<ScaledLinear> parts);

  // y = finish(x W^T + b). fp32 needs no room.
  void apply(ThreadPool& pool, ConstMatrixView x, Finish finish, MatrixView y, Room& room) const;
  // The same on one thread.
  void apply(ConstMatrixView x, Finish finish, MatrixView y, Room& room) const;

 private:
  struct Input {
    ConstMatrixView x;
    Finish finish;
    Room& room;
  };
  // On the threads of a pool, or on this one.
  template <typename... Pool>
  void apply_on(const Input& in, MatrixView y, Pool&... pool) const;

  std::variant<PackedLinear, QuantisedLinear, ByteLinear> linear_;
};

}  // namespace wnpu::models
