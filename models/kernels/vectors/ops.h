// The arithmetic of a transformer on matrix views, for the CPU backend and the decoder. fp32
// throughout; no result depends on the number of threads.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "models/base/tensor.h"
#include "models/base/thread_pool.h"

namespace wnpu::kernels {

struct LayerNorm {
  std::vector<float> gamma;  // [width]
  std::vector<float> beta;   // [width]
};

// y = (x - mean) / sqrt(var + 1e-5) * gamma + beta, row by row. y may be x.
void layer_norm(models::ThreadPool& pool, models::ConstMatrixView x, const LayerNorm& w,
                models::MatrixView y);
// Layer norm on one thread, for use inside a parallel loop.
void layer_norm(models::ConstMatrixView x, const LayerNorm& w, models::MatrixView y);
// x = x * Phi(x), the erf form as in openai/whisper; absolute error below 3e-7 (1 + |x|).
void gelu(models::ThreadPool& pool, models::MatrixView x);

// Single-thread pieces, for use inside a parallel loop.
// y += a x; both of one length.
void axpy(float a, std::span<const float> x, std::span<float> y);
// y[i] = the middle one of x[i] .. x[i + 6], which are no NaN; x is longer than y by 6.
void median_of_7(std::span<const float> x, std::span<float> y);
// -infinity for an empty x.
float max(std::span<const float> x);
// x = exp(x - max); returns the sum of the results. No x may be above max.
float exp_minus(std::span<float> x, float max);
// x *= factor.
void scale(std::span<float> x, float factor);
// x = exp(x - max x) / sum.
void softmax(std::span<float> x);
// log(sum(exp(x))); -inf where every x is -inf.
float log_sum_exp(std::span<const float> x);

}  // namespace wnpu::kernels
