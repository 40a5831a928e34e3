// Matrix products of bytes and of bf16 (models/byte_matrix.h, bf16_matrix.h): four and two terms an
// instruction where the CPU has AVX512-VNNI and AVX512-BF16; plain loops elsewhere, which are for
// tests. Without a pool on one thread, for use inside a parallel loop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "models/bf16_matrix.h"
#include "models/byte_matrix.h"
#include "models/gemm.h"
#include "models/tensor.h"

namespace wnpu::models {

// Whether the chosen instruction set and the CPU have both instructions.
bool has_byte_instructions();

// c = finish(a b + bias), as in gemm.h: rows first_row, first_row + 1, ... of a, as many as c has.
struct ByteProduct {
  const ByteRows& a;
  const ByteMatrix& b;
  std::span<const float> bias{};
  Finish finish = Finish::replace;
  std::size_t first_row = 0;
};
void gemm(const ByteProduct& product, MatrixView c);
// The same on all threads of the pool.
void gemm(ThreadPool& pool, const ByteProduct& product, MatrixView c);

// c = finish(row_scales * (a b) + bias), row after row of a, `stride` pairs from each other.
struct Bf16Product {
  const Bf16Pair* a;
  std::size_t stride;
  const Bf16Matrix& b;
  std::span<const float> row_scales{};  // empty: 1
  std::span<const float> bias{};
  Finish finish = Finish::replace;
};
void gemm(const Bf16Product& product, MatrixView c);
void gemm(ThreadPool& pool, const Bf16Product& product, MatrixView c);

// A softmax before its division by the sum: 2^(score - shift) in bf16, and the sums of these.
class SoftmaxWeights {
 public:
  // Room for this many.
  SoftmaxWeights(std::size_t max_rows, std::size_t max_cols);

  // Of so many rows, without a shift, and nothing is in their sums yet.
  void reset(std::size_t rows);
  void set_shift(std::size_t row, float shift) { shifts_[row] = shift; }
  std::size_t n_rows() const { return n_rows_; }
  Bf16Rows& rows() { return weights_; }
  const Bf16Rows& rows() const { return weights_; }
  std::span<const float> shifts() const { return shifts_; }
  // A row's sum in parts, a vector's lanes.
  static constexpr std::size_t kSumParts = 16;
  float* sum_parts(std::size_t row) { return sums_.get() + row * kSumParts; }
  float sum(std::size_t row) const;

 private:
  std::size_t n_rows_ = 0;
  Bf16Rows weights_;
  AlignedArray<float> sums_;
  std::vector<float> shifts_;
};

// weights = 2^(a b - shift), for the rows of a; their sums take them in. Relative error 2^-9.
// Beyond fp32: infinity, and so is the sum.
void exp2_gemm(const ByteRows& a, const ByteMatrix& b, SoftmaxWeights& weights);

}  // namespace wnpu::models
