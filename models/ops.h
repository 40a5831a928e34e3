// The arithmetic of a transformer on matrix views, for the CPU backend and the decoder. fp32
// throughout; every operation is split into blocks of fixed size, so that the result does not
// depend on the number of threads.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "models/tensor.h"
#include "models/thread_pool.h"
#include "models/weights.h"

namespace wnpu::models {

enum class Write { replace, add };

// y (+)= x W^T + b. x: [n, in], y: [n, out].
void linear(ThreadPool& pool, ConstMatrixView x, const Linear& w, MatrixView y,
            Write mode = Write::replace);
// y = (x - mean) / sqrt(var + 1e-5) * gamma + beta, row by row. y may be x.
void layer_norm(ThreadPool& pool, ConstMatrixView x, const LayerNorm& w, MatrixView y);
// The same on one thread, for use inside a parallel loop.
void layer_norm(ConstMatrixView x, const LayerNorm& w, MatrixView y);
// x = x * Phi(x), the erf form as in openai/whisper; absolute error below 3e-7 (1 + |x|).
void gelu(ThreadPool& pool, MatrixView x);

// Single-thread pieces, for use inside a parallel loop.
// c = alpha a b^T: a [m, k], b [n, k], c [m, n].
void gemm_nt(float alpha, ConstMatrixView a, ConstMatrixView b, MatrixView c);
// c = a b: a [m, k], b [k, n], c [m, n].
void gemm_nn(ConstMatrixView a, ConstMatrixView b, MatrixView c);
// y += a x.
void axpy(float a, std::span<const float> x, std::span<float> y);
float max(std::span<const float> x);
// x = exp(x - max); returns the sum of the results. No x may be above max.
float exp_minus(std::span<float> x, float max);
void scale(std::span<float> x, float factor);
// x = exp(x - max x) / sum.
void softmax(std::span<float> x);
// log(sum(exp(x))); -inf where every x is -inf.
float log_sum_exp(std::span<const float> x);

// What runs here, e.g. "AVX2, OpenBLAS 0.3.21 Zen"; "AVX3_DL with VNNI" multiplies bytes.
std::string kernel_description();

}  // namespace wnpu::models
