#include "models/kernels/products/linear.h"

#include <algorithm>

#include "models/kernels/vectors/rotation.h"

namespace wnpu::kernels {
namespace {

bool is_i16(DataType number) { return number == DataType::i16 || number == DataType::i8; }

// x as the weights are rotated; on the threads of a pool, where there is one.
ConstMatrixView rotated(ConstMatrixView x, Linear::Scratch& scratch) {
  const MatrixView y = scratch.rotated.view().row_range(0, x.rows).col_range(0, x.cols);
  rotate(x, y);
  return y;
}

ConstMatrixView rotated(ConstMatrixView x, Linear::Scratch& scratch, models::ThreadPool& pool) {
  const MatrixView y = scratch.rotated.view().row_range(0, x.rows).col_range(0, x.cols);
  constexpr std::size_t kBlockRows = 16;
  pool.parallel_for((x.rows + kBlockRows - 1) / kBlockRows, [&](std::size_t i, std::size_t) {
    const std::size_t first = i * kBlockRows;
    const std::size_t rows = std::min(kBlockRows, x.rows - first);
    rotate(x.row_range(first, rows), y.row_range(first, rows));
  });
  return y;
}

// x in the numbers that `weight` is multiplied by; on the threads of a pool, where there is one.
template <typename... Pool>
PackedA packed_a(ConstMatrixView x, const Linear& linear, Linear::Scratch& scratch, Pool&... pool) {
  const PackedB& weight = linear.weight;
  if (linear.is_rotated) x = rotated(x, scratch, pool...);
  if (is_i16(weight.number())) {
    scratch.i16.set(pool..., x, weight.left_limit());
    return scratch.i16;
  }
  if (weight.number() != DataType::u8) return x;
  scratch.u8.set(pool..., x);
  return scratch.u8;
}

}  // namespace

Linear::Scratch::Scratch(DataType number, std::size_t max_rows, std::size_t max_cols) {
  if (is_i16(number) || number == DataType::u8) i16 = I16Rows(max_rows, max_cols);
  if (number == DataType::u8) u8 = U8Rows(max_rows, max_cols);
  if (has_8_bits(number)) rotated = models::Matrix(max_rows, max_cols);
}

void Linear::apply(models::ThreadPool& pool, ConstMatrixView x, Finish finish, MatrixView y,
                   Scratch& scratch) const {
  if (watcher != nullptr) watcher->see(x);
  gemm(pool, {packed_a(x, *this, scratch, pool), weight, bias, finish}, y);
}

void Linear::apply(ConstMatrixView x, Finish finish, MatrixView y, Scratch& scratch) const {
  if (watcher != nullptr) watcher->see(x);
  gemm({packed_a(x, *this, scratch), weight, bias, finish}, y);
}

}  // namespace wnpu::kernels
