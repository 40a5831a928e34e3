#include "models/kernels/vectors/ops.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "models/kernels/vectors/elementwise.h"

namespace wnpu::kernels {

using models::ConstMatrixView;
using models::MatrixView;
using models::ThreadPool;

namespace {

std::size_t n_blocks(std::size_t n, std::size_t block) { return (n + block - 1) / block; }

}  // namespace

void layer_norm(ConstMatrixView x, const LayerNorm& w, MatrixView y) {
  assert(x.cols == w.gamma.size() && y.cols == x.cols && y.rows == x.rows);
  constexpr float kEpsilon = 1e-5F;  // torch.nn.LayerNorm's default, as openai/whisper uses it
  for (std::size_t r = 0; r < x.rows; ++r) {
    elementwise::layer_norm_row({x.row(r), w.gamma, w.beta, kEpsilon}, y.row(r));
  }
}

void layer_norm(ThreadPool& pool, ConstMatrixView x, const LayerNorm& w, MatrixView y) {
  constexpr std::size_t kRows = 64;
  pool.parallel_for(n_blocks(x.rows, kRows), [&](std::size_t block, std::size_t) {
    const std::size_t rows = std::min(kRows, x.rows - block * kRows);
    layer_norm(x.row_range(block * kRows, rows), w, y.row_range(block * kRows, rows));
  });
}

void gelu(ThreadPool& pool, MatrixView x) {
  constexpr std::size_t kRows = 16;
  pool.parallel_for(n_blocks(x.rows, kRows), [&](std::size_t block, std::size_t) {
    const std::size_t end = std::min(x.rows, (block + 1) * kRows);
    for (std::size_t r = block * kRows; r < end; ++r) elementwise::gelu(x.row(r));
  });
}

void axpy(float a, std::span<const float> x, std::span<float> y) {
  assert(x.size() == y.size());
  elementwise::axpy(a, x, y);
}

void median_of_7(std::span<const float> x, std::span<float> y) {
  assert(x.size() == y.size() + 6);
  elementwise::median_of_7(x, y);
}

float max(std::span<const float> x) { return elementwise::max(x); }

float exp_minus(std::span<float> x, float max) { return elementwise::exp_minus(x, max); }

void scale(std::span<float> x, float factor) { elementwise::scale(x, factor); }

void softmax(std::span<float> x) { scale(x, 1.0F / exp_minus(x, max(x))); }

float log_sum_exp(std::span<const float> x) {
  const float max = elementwise::max(x);
  if (!std::isfinite(max)) return max;
  return max + std::log(elementwise::sum_exp_minus(x, max));
}

}  // namespace wnpu::kernels
