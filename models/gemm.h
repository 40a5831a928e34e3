// Matrix products with a packed right side, on the widest SIMD instructions of the machine. An
// element of a result is one chain of fused multiply-adds over k in ascending order, or exact sums
// of integers added up in that order: its bits depend neither on the other rows that are worked on
// with it, nor on threads.
#pragma once

#include <cstddef>
#include <span>

#include "models/packed_matrix.h"
#include "models/quantised.h"
#include "models/tensor.h"
#include "models/thread_pool.h"

namespace wnpu::models {

// What becomes of a b, element by element: y = a b + bias, y = gelu(a b + bias), y += a b + bias.
enum class Finish { replace, gelu, add };

// c = finish(a b + bias): a [m, k], b [k, n], bias [n] or empty, c [m, n].
struct Product {
  ConstMatrixView a;
  const PackedMatrix& b;
  std::span<const float> bias;
  Finish finish = Finish::replace;
};

// The same with integers: rows first_row, first_row + 1, ... of a, as many as c has.
struct IntegerProduct {
  const QuantisedRows& a;
  const QuantisedMatrix& b;
  std::span<const float> bias;
  Finish finish = Finish::replace;
  std::size_t first_row = 0;
};

// One thread, for use inside a parallel loop.
void gemm(const Product& product, MatrixView c);
void gemm(const IntegerProduct& product, MatrixView c);
// The same on all threads of the pool.
void gemm(ThreadPool& pool, const Product& product, MatrixView c);
void gemm(ThreadPool& pool, const IntegerProduct& product, MatrixView c);

// Columns of a panel here: two vectors.
std::size_t gemm_panel_cols();

}  // namespace wnpu::models
