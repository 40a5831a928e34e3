#include "encoder/cpu_arithmetic.h"

#include "models/ops.h"

namespace wnpu::encoder {
namespace {

using models::ConstMatrixView;
using models::Finish;
using models::IntegerWidth;
using models::MatrixView;
using models::QuantisedMatrix;
using models::RunningSoftmax;
using models::ScaleOf;
using models::Storage;

// A key has 64 terms, which leaves a query 13 bits. kExactTerms values may have weights that are
// all alike, shares of 19 bits: the fewer bits a value has, the more its weight.
constexpr float kMaxKey = 4095;
constexpr float kMaxValue = 4095;

}  // namespace

models::PackedLinear Fp32Arithmetic::pack(models::ThreadPool& pool,
                                          std::initializer_list<models::ScaledLinear> parts) {
  return models::pack_side_by_side(pool, parts, Storage::fp32);
}

models::PackedMatrix Fp32Arithmetic::make_keys(std::size_t head_size, std::size_t n_frames) {
  return {head_size, n_frames};
}

models::PackedMatrix Fp32Arithmetic::make_values(std::size_t n_frames, std::size_t head_size) {
  return {n_frames, head_size};
}

void Fp32Arithmetic::linear(ConstMatrixView x, const Weights& w, Finish finish, MatrixView y,
                            Rows& /*scratch*/) {
  models::gemm(models::Product{x, w.weight, w.bias, finish}, y);
}

void Fp32Arithmetic::set_queries(ConstMatrixView queries, const Matrix& /*keys*/, Rows& rows) {
  rows.x = queries;
}

void Fp32Arithmetic::scores(const Rows& queries, const Matrix& keys, MatrixView scores) {
  models::gemm(models::Product{queries.x, keys, {}}, scores);
}

void Fp32Arithmetic::add_weighted(MatrixView scores, std::span<RunningSoftmax> softmax,
                                  const Matrix& values, MatrixView attended, Rows& /*scratch*/) {
  for (std::size_t r = 0; r < scores.rows; ++r)
    softmax[r].sum += models::exp_minus(scores.row(r), softmax[r].max);
  models::gemm(models::Product{scores, values, {}, Finish::add}, attended);
}

template <IntegerWidth kWeightWidth>
models::QuantisedLinear IntegerArithmetic<kWeightWidth>::pack(
    models::ThreadPool& pool, std::initializer_list<models::ScaledLinear> parts) {
  return models::quantise_side_by_side(pool, parts, kWeightWidth);
}

template <IntegerWidth kWeightWidth>
QuantisedMatrix IntegerArithmetic<kWeightWidth>::make_keys(std::size_t head_size,
                                                           std::size_t n_frames) {
  return {head_size, n_frames, {IntegerWidth::int16, ScaleOf::column, kMaxKey}};
}

template <IntegerWidth kWeightWidth>
QuantisedMatrix IntegerArithmetic<kWeightWidth>::make_values(std::size_t n_frames,
                                                             std::size_t head_size) {
  return {n_frames, head_size, {IntegerWidth::int16, ScaleOf::row, kMaxValue}};
}

template <IntegerWidth kWeightWidth>
void IntegerArithmetic<kWeightWidth>::linear(ConstMatrixView x, const Weights& w, Finish finish,
                                             MatrixView y, Rows& scratch) {
  scratch.set(x, w.weight.left_limit());
  models::gemm(models::IntegerProduct{scratch, w.weight, w.bias, finish}, y);
}

template <IntegerWidth kWeightWidth>
void IntegerArithmetic<kWeightWidth>::set_queries(ConstMatrixView queries, const Matrix& keys,
                                                  Rows& rows) {
  rows.set(queries, keys.left_limit());
}

template <IntegerWidth kWeightWidth>
void IntegerArithmetic<kWeightWidth>::scores(const Rows& queries, const Matrix& keys,
                                             MatrixView scores) {
  models::gemm(models::IntegerProduct{queries, keys, {}}, scores);
}

template <IntegerWidth kWeightWidth>
void IntegerArithmetic<kWeightWidth>::add_weighted(MatrixView scores,
                                                   std::span<RunningSoftmax> softmax,
                                                   const Matrix& values, MatrixView attended,
                                                   Rows& scratch) {
  scratch.set_softmax(scores, softmax, values.scales(), values.left_sum_limit());
  models::gemm(models::IntegerProduct{scratch, values, {}, Finish::add}, attended);
}

models::ByteLinear ByteArithmetic::pack(models::ThreadPool& pool,
                                        std::initializer_list<models::ScaledLinear> parts) {
  return models::bytes_side_by_side(pool, parts);
}

void ByteArithmetic::linear(ConstMatrixView x, const Weights& w, Finish finish, MatrixView y,
                            Rows& scratch) {
  scratch.set(x);
  models::gemm(models::ByteProduct{scratch, w.weight, w.bias, finish}, y);
}

template struct IntegerArithmetic<IntegerWidth::int8>;
template struct IntegerArithmetic<IntegerWidth::int16>;

}  // namespace wnpu::encoder
