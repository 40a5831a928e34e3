#include "encoder/cpu_arithmetic.h"

#include <algorithm>

#include "models/ops.h"

namespace wnpu::encoder {
namespace {

using models::ConstMatrixView;
using models::Finish;
using models::IntegerWidth;
using models::MatrixView;
using models::QuantisedMatrix;
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
                            Scratch& /*scratch*/) {
  models::gemm(models::Product{x, w.weight, w.bias, finish}, y);
}

void Fp32Arithmetic::scores(ConstMatrixView queries, const Matrix& keys, MatrixView scores,
                            Scratch& /*scratch*/) {
  models::gemm(models::Product{queries, keys, {}}, scores);
}

void Fp32Arithmetic::weigh(MatrixView scores, const Matrix& values, MatrixView attended,
                           Scratch& scratch) {
  for (std::size_t r = 0; r < scores.rows; ++r)
    scratch.sums[r] = models::exp_below_max(scores.row(r));
  models::gemm(models::Product{scores, values, {}}, attended);
  for (std::size_t r = 0; r < scores.rows; ++r)
    models::scale(attended.row(r), 1.0F / scratch.sums[r]);
}

template <IntegerWidth kWeightWidth>
IntegerArithmetic<kWeightWidth>::Scratch::Scratch(const BlockShape& shape)
    : block(shape.rows, shape.width),
      queries(shape.query_rows, std::max(shape.n_frames, shape.width)) {}

template <IntegerWidth kWeightWidth>
models::QuantisedLinear IntegerArithmetic<kWeightWidth>::pack(
    models::ThreadPool& pool, std::initializer_list<models::ScaledLinear> parts) {
  return models::quantise_side_by_side(pool, parts, kWeightWidth);
}

template <IntegerWidth kWeightWidth>
QuantisedMatrix IntegerArithmetic<kWeightWidth>::make_keys(std::size_t head_size,
                                                           std::size_t n_frames) {
  return {head_size, n_frames, IntegerWidth::int16, ScaleOf::column, kMaxKey};
}

template <IntegerWidth kWeightWidth>
QuantisedMatrix IntegerArithmetic<kWeightWidth>::make_values(std::size_t n_frames,
                                                             std::size_t head_size) {
  return {n_frames, head_size, IntegerWidth::int16, ScaleOf::row, kMaxValue};
}

template <IntegerWidth kWeightWidth>
void IntegerArithmetic<kWeightWidth>::linear(ConstMatrixView x, const Weights& w, Finish finish,
                                             MatrixView y, Scratch& scratch) {
  scratch.block.set(x, w.weight.left_limit());
  models::gemm(models::IntegerProduct{scratch.block, w.weight, w.bias, finish}, y);
}

template <IntegerWidth kWeightWidth>
void IntegerArithmetic<kWeightWidth>::scores(ConstMatrixView queries, const Matrix& keys,
                                             MatrixView scores, Scratch& scratch) {
  scratch.queries.set(queries, keys.left_limit());
  models::gemm(models::IntegerProduct{scratch.queries, keys, {}}, scores);
}

template <IntegerWidth kWeightWidth>
void IntegerArithmetic<kWeightWidth>::weigh(MatrixView scores, const Matrix& values,
                                            MatrixView attended, Scratch& scratch) {
  scratch.queries.set_softmax(scores, values.scales(), values.left_sum_limit());
  models::gemm(models::IntegerProduct{scratch.queries, values, {}}, attended);
}

template struct IntegerArithmetic<IntegerWidth::int8>;
template struct IntegerArithmetic<IntegerWidth::int16>;

}  // namespace wnpu::encoder
