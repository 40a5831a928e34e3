// What the CPU backend's products are made of: its code is the same for all of these.
//
// block_rows() of the states pass through a whole half of a layer together: whole tiles of
// rows, few enough for all that is made of them to stay in L2 beside the weights (hidden rows of
// small are 12 KB each), and for the last block of a loop to keep the other threads waiting for a
// short time only. They divide kChunkFrames of encoder/attention.h.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>

#include "models/byte_gemm.h"
#include "models/gemm.h"
#include "models/packed_matrix.h"
#include "models/quantised.h"
#include "models/running_softmax.h"
#include "models/tensor.h"
#include "models/thread_pool.h"

namespace wnpu::encoder {

// fp32 throughout: the reference.
struct Fp32Arithmetic {
  static std::size_t block_rows() { return 24; }
  using Weights = models::PackedLinear;
  using Matrix = models::PackedMatrix;
  // The left side of a product: a view.
  struct Rows {
    Rows(std::size_t /*max_rows*/, std::size_t /*max_cols*/) {}
    models::ConstMatrixView x{};
  };

  static Weights pack(models::ThreadPool& pool, std::initializer_list<models::ScaledLinear> parts);
  static Matrix make_keys(std::size_t head_size, std::size_t n_frames);
  static Matrix make_values(std::size_t n_frames, std::size_t head_size);
  // y = finish(x W^T + b).
  static void linear(models::ConstMatrixView x, const Weights& w, models::Finish finish,
                     models::MatrixView y, Rows& scratch);
  // rows = queries, to be multiplied with keys like these.
  static void set_queries(models::ConstMatrixView queries, const Matrix& keys, Rows& rows);
  // scores = q k^T.
  static void scores(const Rows& queries, const Matrix& keys, models::MatrixView scores);
  // attended += exp(scores - softmax.max) v, row by row; the softmax's sum takes in the scores,
  // whose maximum it knows already. Overwrites the scores.
  static void add_weighted(models::MatrixView scores, std::span<models::RunningSoftmax> softmax,
                           const Matrix& values, models::MatrixView attended, Rows& scratch);
};

// Every product in integers (models/quantised.h): half again as fast as fp32 on AVX2. int16
// weights, what they are multiplied by, queries, keys and values have 12 to 15 bits; bf16 has 8.
template <models::IntegerWidth kWeightWidth>
struct IntegerArithmetic {
  static std::size_t block_rows() { return 24; }
  using Weights = models::QuantisedLinear;
  using Matrix = models::QuantisedMatrix;
  using Rows = models::QuantisedRows;

  static Weights pack(models::ThreadPool& pool, std::initializer_list<models::ScaledLinear> parts);
  static Matrix make_keys(std::size_t head_size, std::size_t n_frames);
  static Matrix make_values(std::size_t n_frames, std::size_t head_size);
  static void linear(models::ConstMatrixView x, const Weights& w, models::Finish finish,
                     models::MatrixView y, Rows& scratch);
  static void set_queries(models::ConstMatrixView queries, const Matrix& keys, Rows& rows);
  static void scores(const Rows& queries, const Matrix& keys, models::MatrixView scores);
  static void add_weighted(models::MatrixView scores, std::span<models::RunningSoftmax> softmax,
                           const Matrix& values, models::MatrixView attended, Rows& scratch);
};

// Both sides of linear layers, queries, keys, attention's weights and values in 8 bits: what
// AVX512-VNNI multiplies fastest (encoder/byte_attention.h).
struct ByteArithmetic {
  // A tile's; AMX has tiles of 32 and of 16.
  static std::size_t block_rows() { return models::has_amx_instructions() ? 48 : 12; }
  using Weights = models::ByteLinear;
  using Rows = models::ByteRows;

  static Weights pack(models::ThreadPool& pool, std::initializer_list<models::ScaledLinear> parts);
  static void linear(models::ConstMatrixView x, const Weights& w, models::Finish finish,
                     models::MatrixView y, Rows& scratch);
};

}  // namespace wnpu::encoder
