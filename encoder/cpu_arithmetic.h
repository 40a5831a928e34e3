// What the CPU backend's products are made of: its code is the same for all of these.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <vector>

#include "models/gemm.h"
#include "models/packed_matrix.h"
#include "models/quantised.h"
#include "models/tensor.h"
#include "models/thread_pool.h"

namespace wnpu::encoder {

// Sizes of what a thread works on at a time.
struct BlockShape {
  std::size_t rows;        // of states
  std::size_t width;       // of the widest matrix, 4 n_audio_state
  std::size_t query_rows;  // of queries against all keys
  std::size_t n_frames;    // n_audio_ctx
};

// fp32 throughout: the reference.
struct Fp32Arithmetic {
  using Weights = models::PackedLinear;
  using Matrix = models::PackedMatrix;
  struct Scratch {
    explicit Scratch(const BlockShape& shape) : sums(shape.query_rows) {}
    std::vector<float> sums;  // of a row of exp(scores)
  };

  static Weights pack(models::ThreadPool& pool, std::initializer_list<models::ScaledLinear> parts);
  static Matrix make_keys(std::size_t head_size, std::size_t n_frames);
  static Matrix make_values(std::size_t n_frames, std::size_t head_size);
  // y = finish(x W^T + b).
  static void linear(models::ConstMatrixView x, const Weights& w, models::Finish finish,
                     models::MatrixView y, Scratch& scratch);
  // scores = q k^T.
  static void scores(models::ConstMatrixView queries, const Matrix& keys, models::MatrixView scores,
                     Scratch& scratch);
  // attended = softmax(scores) v. Overwrites the scores.
  static void weigh(models::MatrixView scores, const Matrix& values, models::MatrixView attended,
                    Scratch& scratch);
};

// Every product in integers (models/quantised.h): half again as fast as fp32 on AVX2. int16
// weights, what they are multiplied by, queries, keys and values have 12 to 15 bits; bf16 has 8.
template <models::IntegerWidth kWeightWidth>
struct IntegerArithmetic {
  using Weights = models::QuantisedLinear;
  using Matrix = models::QuantisedMatrix;
  struct Scratch {
    explicit Scratch(const BlockShape& shape);
    models::QuantisedRows block;    // [rows, width]
    models::QuantisedRows queries;  // [query_rows, ...]: queries, then their weights
  };

  static Weights pack(models::ThreadPool& pool, std::initializer_list<models::ScaledLinear> parts);
  static Matrix make_keys(std::size_t head_size, std::size_t n_frames);
  static Matrix make_values(std::size_t n_frames, std::size_t head_size);
  static void linear(models::ConstMatrixView x, const Weights& w, models::Finish finish,
                     models::MatrixView y, Scratch& scratch);
  static void scores(models::ConstMatrixView queries, const Matrix& keys, models::MatrixView scores,
                     Scratch& scratch);
  static void weigh(models::MatrixView scores, const Matrix& values, models::MatrixView attended,
                    Scratch& scratch);
};

}  // namespace wnpu::encoder
