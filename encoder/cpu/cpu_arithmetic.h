// Arithmetics of the CPU backend, one struct for each: its code is the same for all of them.
//
// block_rows() of the states pass through a whole half of a layer together: whole tiles of
// rows, few enough for all that is made of them to stay in L2 beside the weights (hidden rows of
// small are 12 KB each), and for the last block of a loop to keep the other threads waiting for a
// short time only. They divide kChunkFrames of encoder/cpu/attention.h.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>

#include "models/base/tensor.h"
#include "models/base/thread_pool.h"
#include "models/kernels/operands/f32_matrix.h"
#include "models/kernels/operands/i16_matrix.h"
#include "models/kernels/products/gemm.h"
#include "models/kernels/vectors/blas.h"
#include "models/kernels/vectors/instruction_set.h"
#include "models/kernels/vectors/running_softmax.h"
#include "models/weights/pack_weights.h"

namespace wnpu::encoder {

// fp32 throughout: the reference.
struct Fp32Arithmetic {
  // OpenBLAS packs the weights anew for each block, for which there have to be enough rows.
  static std::size_t block_rows() {
    return kernels::gemm_in_use() == kernels::Gemm::blas ? 120 : 24;
  }
  using Matrix = kernels::F32Matrix;
  // The left side of a product: a view.
  struct Rows {
    Rows(std::size_t /*max_rows*/, std::size_t /*max_cols*/) {}
    operator kernels::PackedA() const { return x; }  // NOLINT: converts
    models::ConstMatrixView x{};
  };

  static Matrix make_keys(std::size_t head_size, std::size_t n_frames);
  static Matrix make_values(std::size_t n_frames, std::size_t head_size);
  // rows = queries, to be multiplied with keys like these.
  static void set_queries(models::ConstMatrixView queries, const Matrix& keys, Rows& rows);
  // attended += exp(scores - softmax.max) v, row by row; the softmax's sum takes in the scores,
  // whose maximum it knows already. Overwrites the scores.
  static void add_weighted(models::MatrixView scores, std::span<kernels::RunningSoftmax> softmax,
                           const Matrix& values, models::MatrixView attended, Rows& scratch);
};

// Every product in integers (models/kernels/operands/i16_matrix.h): half again as fast as fp32 on
// AVX2. int16 weights, what they are multiplied by, queries, keys and values have 12 to 15 bits;
// bf16 has 8.
struct IntegerArithmetic {
  static std::size_t block_rows() { return 24; }
  using Matrix = kernels::I16Matrix;
  using Rows = kernels::I16Rows;

  static Matrix make_keys(std::size_t head_size, std::size_t n_frames);
  static Matrix make_values(std::size_t n_frames, std::size_t head_size);
  static void set_queries(models::ConstMatrixView queries, const Matrix& keys, Rows& rows);
  static void add_weighted(models::MatrixView scores, std::span<kernels::RunningSoftmax> softmax,
                           const Matrix& values, models::MatrixView attended, Rows& scratch);
};

// Both sides of linear layers, queries, keys, attention's weights and values in 8 bits: what
// VNNI multiplies fastest (encoder/cpu/byte_attention.h).
struct ByteArithmetic {
  // A tile's; AMX has tiles of 32 and of 16.
  static std::size_t block_rows() { return kernels::has_amx_instructions() ? 48 : 12; }
  using Rows = kernels::U8Rows;
};

}  // namespace wnpu::encoder
