// Integers for matrix products: x = scale * q. A product of them sums in int32, exactly, and is as
// fast as twice that many bits of fp32 can be; limits on |q| see to it that no sum overflows.
// Sums of kExactTerms neighbours in k are then added up in fp32, in ascending order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "models/aligned_memory.h"
#include "models/packed_matrix.h"
#include "models/running_softmax.h"
#include "models/tensor.h"
#include "models/thread_pool.h"

namespace wnpu::models {

// More terms leave each of them fewer bits; fewer cost time (at 128: 3 %).
constexpr std::size_t kExactTerms = 128;

// Two neighbours in k, which the kernels multiply together.
struct alignas(4) LeftPair {
  std::int16_t even = 0;
  std::int16_t odd = 0;
};

// The left side of a product: rows, each with its own scale. The last pair of an odd row is half 0.
class QuantisedRows {
 public:
  QuantisedRows() = default;
  // Room for this many.
  QuantisedRows(std::size_t max_rows, std::size_t max_cols);

  std::size_t n_rows() const { return n_rows_; }
  std::size_t n_pairs() const { return n_pairs_; }
  std::size_t stride() const { return stride_; }  // pairs
  std::span<const LeftPair> row(std::size_t r) const {
    return {pairs_.get() + r * stride_, n_pairs_};
  }
  std::span<const float> scales() const { return scales_; }

  // Becomes x, every |q| at most `limit`; on the threads of a pool, where there is one.
  void set(ConstMatrixView x, float limit);
  void set(ThreadPool& pool, ConstMatrixView x, float limit);
  // A part of a softmax: becomes exp(scores - the row's softmax.max) * value_scales, so that no
  // kExactTerms |q| of a row add up to more than `sum_limit`. The softmax's sum takes in the part,
  // whose maximum it knows already. `scores` is overwritten.
  void set_softmax(MatrixView scores, std::span<RunningSoftmax> softmax,
                   std::span<const float> value_scales, float sum_limit);

 private:
  void resize(std::size_t rows, std::size_t cols);
  void set_row(std::size_t r, std::span<const float> x, float limit);
  std::span<std::int16_t> integers(std::size_t r);  // of a row

  std::size_t n_rows_ = 0;
  std::size_t n_pairs_ = 0;
  std::size_t stride_ = 0;
  AlignedArray<LeftPair> pairs_;
  std::vector<float> scales_;
};

enum class IntegerWidth { int8, int16 };
// The largest |q| of a weight. int16: 13 bits, which leave the left side as many with trained
// weights, and 11 with the worst there can be.
float max_weight(IntegerWidth width);
// What has scales of its own: columns (weights; keys, where a column is a frame), which a product
// applies, or rows (values, where a row is a frame), which the left side must have in it already.
enum class ScaleOf { column, row };

struct IntegersOf {
  IntegerWidth width;
  ScaleOf scale_of;
  float max_value;  // the largest |q|; int8: at most 127
};

// The right side B [k, n], packed as panels of two vectors' columns: [pairs of k][columns][2].
class QuantisedMatrix {
 public:
  QuantisedMatrix() = default;
  // Not set yet, but for the columns beyond n. In a part of the block, where there is one.
  QuantisedMatrix(std::size_t k, std::size_t n, const IntegersOf& integers,
                  SharedBlock* block = nullptr);

  std::size_t k() const { return k_; }
  std::size_t n() const { return n_; }
  std::size_t n_pairs() const { return (k_ + 1) / 2; }
  IntegerWidth width() const { return width_; }
  std::size_t panel_cols() const { return panel_cols_; }
  std::size_t n_panels() const {
    return panel_cols_ == 0 ? 0 : (n_ + panel_cols_ - 1) / panel_cols_;
  }
  std::size_t panel_bytes() const;
  const std::byte* panel(std::size_t i) const { return data_.get() + i * panel_bytes(); }
  std::size_t size_bytes() const { return n_panels() * panel_bytes(); }
  ScaleOf scale_of() const { return scale_of_; }
  std::span<const float> scales() const { return scales_; }

  // The largest |q| of the left side with which no sum of a product leaves int32.
  float left_limit() const { return left_limit_; }
  // Takes the limit from the columns, all of them set, as they are: further than for any they could
  // be.
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
  T* element(std::size_t pair, std::size_t col) const;
  // Returns the largest sum of kExactTerms |q|.
  template <typename T>
  float put_column(std::size_t col, std::span<const float> x, float factor);
  template <typename T>
  void put_row_pair(std::size_t pair, std::array<ScaledRow, 2> rows);

  std::size_t k_ = 0;
  std::size_t n_ = 0;
  IntegerWidth width_ = IntegerWidth::int16;
  ScaleOf scale_of_ = ScaleOf::column;
  float max_value_ = 0;
  float left_limit_ = 0;
  std::size_t panel_cols_ = 0;
  std::vector<float> scales_;
  std::vector<float> column_sums_;  // of a column, the largest of kExactTerms |q|
  AlignedArray<std::byte> data_;
};

// y = x W^T + b.
struct QuantisedLinear {
  QuantisedMatrix weight;   // [in, out]
  std::vector<float> bias;  // [out]; empty: none
};
// Several of the same input side by side, read as pack_weights does it (models/packed_matrix.h).
QuantisedLinear quantise_side_by_side(ThreadPool& pool, std::initializer_list<ScaledLinear> parts,
                                      IntegerWidth width);

}  // namespace wnpu::models
