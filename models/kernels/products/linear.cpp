#include "models/kernels/products/linear.h"

namespace wnpu::kernels {
namespace {

bool is_i16(Number number) { return number == Number::i16 || number == Number::i8; }

// x in the numbers that `weight` is multiplied by; on the threads of a pool, where there is one.
template <typename... Pool>
LeftSide left_side(ConstMatrixView x, const RightSide& weight, Linear::Scratch& scratch,
                   Pool&... pool) {
  if (is_i16(weight.number())) {
    scratch.i16.set(pool..., x, weight.left_limit());
    return scratch.i16;
  }
  if (weight.number() != Number::u8) return x;
  scratch.u8.set(pool..., x);
  return scratch.u8;
}

}  // namespace

Linear::Scratch::Scratch(Number number, std::size_t max_rows, std::size_t max_cols) {
  if (is_i16(number) || number == Number::u8) i16 = I16Rows(max_rows, max_cols);
  if (number == Number::u8) u8 = U8Rows(max_rows, max_cols);
}

void Linear::apply(models::ThreadPool& pool, ConstMatrixView x, Finish finish, MatrixView y,
                   Scratch& scratch) const {
  if (watcher != nullptr) watcher->see(x);
  gemm(pool, {left_side(x, weight, scratch, pool), weight, bias, finish}, y);
}

void Linear::apply(ConstMatrixView x, Finish finish, MatrixView y, Scratch& scratch) const {
  if (watcher != nullptr) watcher->see(x);
  gemm({left_side(x, weight, scratch), weight, bias, finish}, y);
}

}  // namespace wnpu::kernels
