#include "models/kernels/products/linear.h"

namespace wnpu::kernels {
namespace {

bool is_i16(DataType number) { return number == DataType::i16 || number == DataType::i8; }

// x in the numbers that `weight` is multiplied by; on the threads of a pool, where there is one.
template <typename... Pool>
PackedA packed_a(ConstMatrixView x, const PackedB& weight, Linear::Scratch& scratch,
                 Pool&... pool) {
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
}

void Linear::apply(models::ThreadPool& pool, ConstMatrixView x, Finish finish, MatrixView y,
                   Scratch& scratch) const {
  if (watcher != nullptr) watcher->see(x);
  gemm(pool, {packed_a(x, weight, scratch, pool), weight, bias, finish}, y);
}

void Linear::apply(ConstMatrixView x, Finish finish, MatrixView y, Scratch& scratch) const {
  if (watcher != nullptr) watcher->see(x);
  gemm({packed_a(x, weight, scratch), weight, bias, finish}, y);
}

}  // namespace wnpu::kernels
