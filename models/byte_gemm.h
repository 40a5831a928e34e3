// Matrix products of bytes and of bf16 (models/byte_matrix.h, bf16_matrix.h): four and two terms an
// instruction where the CPU has AVX512-VNNI or AVX512-BF16, whole tiles of bytes where it has AMX;
// plain loops elsewhere, which are for tests. Without a pool on one thread, for use inside a
// parallel loop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "models/bf16_matrix.h"
#include "models/byte_matrix.h"
#include "models/byte_softmax.h"
#include "models/gemm.h"
#include "models/tensor.h"

namespace wnpu::models {

// Whether the chosen instruction set and the CPU have the instruction for bytes (AVX3_DL, which
// asks for more of AVX-512 than VNNI: VBMI above all); AMX for bytes besides; for bf16 too.
bool has_byte_instructions();
bool has_amx_instructions();
bool has_bf16_instructions();

// c = finish(a b + bias), as in gemm.h: rows first_row, first_row + 1, ... of a, as many as c has.
struct ByteProduct {
  const ByteRows& a;
  const ByteMatrix& b;
  std::span<const float> bias{};
  Finish finish = Finish::replace;
  std::size_t first_row = 0;
};
void gemm(const ByteProduct& product, MatrixView c);
// The same on all threads of the pool.
void gemm(ThreadPool& pool, const ByteProduct& product, MatrixView c);

// c = finish(a b + bias), row after row of a, `stride` pairs from each other.
struct Bf16Product {
  const Bf16Pair* a;
  std::size_t stride;
  const Bf16Matrix& b;
  std::span<const float> bias{};
  Finish finish = Finish::replace;
};
void gemm(const Bf16Product& product, MatrixView c);

// scores = a b, less the rows' shifts: b's scales make steps of them (models/byte_softmax.h).
// Beyond 2^31 steps, and where it is no number, a score is the least.
void gemm(const ByteRows& a, const ByteMatrix& b, ScoreRows& scores);

}  // namespace wnpu::models
