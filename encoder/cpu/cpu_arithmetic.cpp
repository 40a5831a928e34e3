#include "encoder/cpu/cpu_arithmetic.h"

#include "models/kernels/vectors/ops.h"

namespace wnpu::encoder {
namespace {

using kernels::DataType;
using kernels::Finish;
using kernels::I16Matrix;
using kernels::RunningSoftmax;
using kernels::ScaleOf;
using models::ConstMatrixView;
using models::MatrixView;

// A key has 64 terms, which leaves a query 13 bits. kExactTerms values may have weights that are
// all alike, shares of 19 bits: the fewer bits a value has, the more its weight.
constexpr float kMaxKey = 4095;
constexpr float kMaxValue = 4095;

}  // namespace

kernels::F32Matrix Fp32Arithmetic::make_keys(std::size_t head_size, std::size_t n_frames) {
  return {head_size, n_frames};
}

kernels::F32Matrix Fp32Arithmetic::make_values(std::size_t n_frames, std::size_t head_size) {
  return {n_frames, head_size};
}

void Fp32Arithmetic::set_queries(ConstMatrixView queries, const Matrix& /*keys*/, Rows& rows) {
  rows.x = queries;
}

void Fp32Arithmetic::add_weighted(MatrixView scores, std::span<RunningSoftmax> softmax,
                                  const Matrix& values, MatrixView attended, Rows& /*scratch*/) {
  for (std::size_t r = 0; r < scores.rows; ++r)
    softmax[r].sum += kernels::exp_minus(scores.row(r), softmax[r].max);
  kernels::gemm(kernels::Product{scores, values, {}, Finish::add}, attended);
}

I16Matrix IntegerArithmetic::make_keys(std::size_t head_size, std::size_t n_frames) {
  return {head_size, n_frames, {DataType::i16, ScaleOf::column, kMaxKey}};
}

I16Matrix IntegerArithmetic::make_values(std::size_t n_frames, std::size_t head_size) {
  return {n_frames, head_size, {DataType::i16, ScaleOf::row, kMaxValue}};
}

void IntegerArithmetic::set_queries(ConstMatrixView queries, const Matrix& keys, Rows& rows) {
  rows.set(queries, keys.left_limit());
}

void IntegerArithmetic::add_weighted(MatrixView scores, std::span<RunningSoftmax> softmax,
                                     const Matrix& values, MatrixView attended, Rows& scratch) {
  scratch.set_softmax(scores, softmax, values.row_scales(), values.left_sum_limit());
  kernels::gemm(kernels::Product{scratch, values, {}, Finish::add}, attended);
}

}  // namespace wnpu::encoder
