// Matrix products with a packed right side, on the widest SIMD instructions of the machine. An
// element of a result is one chain of fused multiply-adds over k in ascending order, or exact sums
// of integers added up in that order: its bits depend neither on the other rows that are worked on
// with it, nor on threads.
#pragma once

#include <string>

#include "models/base/thread_pool.h"
#include "models/kernels/operands/u8_matrix.h"
#include "models/kernels/products/product.h"

namespace wnpu::kernels {

// One thread, for use inside a parallel loop.
void gemm(const Product& product, MatrixView c);
// Product on all threads of the pool.
void gemm(models::ThreadPool& pool, const Product& product, MatrixView c);

// scores = a b - the row's shift, as 16-bit integers in steps of 1/kScoreSteps, a factor that b's
// scales contain (models/kernels/operands/u8_softmax.h). What 16 bits do not hold is clamped; NaN,
// and what is beyond 2^31 steps, becomes the least score.
void score(const U8Rows& a, const U8Matrix& b, ScoreRows& scores);

// Name of the kernels in use, e.g. "AVX2"; "AVX3_DL with VNNI" multiplies bytes.
std::string kernel_description();

}  // namespace wnpu::kernels
