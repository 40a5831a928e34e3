// Integers for matrix products: x = scale * q. A product of them sums in int32, exactly, and is as
// fast as twice that many bits of fp32 can be; limits on |q| see to it that no sum overflows.
// Sums of kExactTerms neighbours in k are then added up in fp32, in ascending order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "models/kernels/operands/packed_a.h"
#include "models/kernels/operands/packed_b.h"
#include "models/kernels/vectors/running_softmax.h"

namespace wnpu::kernels {

// Terms whose sum int32 holds exactly. More leave each of them fewer bits; fewer cost time.
constexpr std::size_t kExactTerms = 128;

struct alignas(4) I16Pair {
  std::int16_t q[2] = {};
};

// The left side, each row with its own scale.
class I16Rows : public Rows<I16Pair> {
 public:
  I16Rows() = default;
  // Room for this many.
  I16Rows(std::size_t max_rows, std::size_t max_cols) : Rows(max_rows, max_cols) {}

  // Becomes x, every |q| at most `limit`; on the threads of a pool, where there is one.
  void set(ConstMatrixView x, float limit);
  void set(models::ThreadPool& pool, ConstMatrixView x, float limit);
  // Becomes x with one scale for all rows: several of them may be multiplied as one.
  void set_alike(ConstMatrixView x, float limit);
  // A part of a softmax: becomes exp(scores - the row's softmax.max) * value_scales, so that no
  // kExactTerms |q| of a row add up to more than `sum_limit`. The softmax's sum takes in the part,
  // whose maximum it knows already. `scores` is overwritten.
  void set_softmax(MatrixView scores, std::span<RunningSoftmax> softmax,
                   std::span<const float> value_scales, float sum_limit);

 private:
  void set_row(std::size_t r, std::span<const float> x, float limit);
  void round_row(std::size_t r, std::span<const float> x, float factor);
};

// The largest |q| of a weight, i16 or i8. i16: 13 bits, which leave the left side as many with
// trained weights, and 11 with the worst there can be.
float max_weight(DataType number);
// Dimension with scales of its own: columns (weights; keys, where a column is a frame), which a
// product applies, or rows (values, where a row is a frame), which the left side must have in it
// already.
enum class ScaleOf { column, row };

struct IntegersOf {
  DataType number;  // i16 or i8
  ScaleOf scale_of;
  float max_value;  // the largest |q|; i8: at most 127
};

class I16Matrix : public PackedB {
 public:
  I16Matrix() = default;
  // In a part of the block, where there is one.
  I16Matrix(std::size_t k, std::size_t n, const IntegersOf& integers,
            models::SharedBlock* block = nullptr);

  // Scales of the rows; empty with ScaleOf::column.
  std::span<const float> row_scales() const { return row_scales_; }
  // Takes left_limit() from the columns, all of them set, as they are: further than for any they
  // could be.
  void widen_left_limit();
  // The largest sum of kExactTerms |q| of a left row with which no sum of a product leaves int32.
  float left_sum_limit() const;

  // Columns first_col, first_col + 1, ... of B become the rows of `b` [any, k], each by its scale.
  // Threads may set columns of their own.
  void set_columns(std::size_t first_col, ConstMatrixView b);
  // Rows first_row (even), first_row + 1, ... of B become the rows of `b` [any, n], each by its
  // scale. An odd number of rows only at B's end.
  void set_rows(std::size_t first_row, ConstMatrixView b);

 private:
  struct ScaledRow {
    std::span<const float> x;  // empty: zeros
    float factor = 0;
  };
  template <typename T>
  T* element(std::size_t pair, std::size_t col) {
    return reinterpret_cast<T*>(at(pair, col));
  }
  // Returns the largest sum of kExactTerms |q|.
  template <typename T>
  float put_column(std::size_t col, std::span<const float> x, float factor);
  template <typename T>
  void put_row_pair(std::size_t pair, std::array<ScaledRow, 2> rows);

  float max_value_ = 0;
  std::vector<float> row_scales_;
  std::vector<float> column_sums_;  // of a column, the largest of kExactTerms |q|
};

}  // namespace wnpu::kernels
