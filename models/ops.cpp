#include "models/ops.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <mutex>

#include <cblas.h>

#include "models/byte_gemm.h"
#include "models/elementwise.h"

namespace wnpu::models {
namespace {

// Blocks of a matrix product, sized so that a block's share of the weights stays in L2 and that
// 1500 frames still make enough blocks for many cores. Fixed: results must not depend on threads.
constexpr std::size_t kBlockRows = 256;
constexpr std::size_t kBlockCols = 512;

// OpenBLAS must not use threads of its own below ours.
void single_threaded_blas() {
  static const bool kDone = [] {
    openblas_set_num_threads(1);
    return true;
  }();
  static_cast<void>(kDone);
}

// A build of OpenBLAS without threads has no locks either: its calls would share their buffers.
std::unique_lock<std::mutex> blas_lock() {
  static std::mutex mutex;
  return openblas_get_parallel() == OPENBLAS_SEQUENTIAL ? std::unique_lock(mutex)
                                                        : std::unique_lock<std::mutex>();
}

blasint blas_int(std::size_t n) {
  assert(n <= static_cast<std::size_t>(std::numeric_limits<blasint>::max()));
  return static_cast<blasint>(n);
}

std::size_t n_blocks(std::size_t n, std::size_t block) { return (n + block - 1) / block; }

// c = alpha a b^T + beta c.
void sgemm_nt(float alpha, ConstMatrixView a, ConstMatrixView b, float beta, MatrixView c) {
  const auto lock = blas_lock();
  if (a.rows == 1) {
    cblas_sgemv(CblasRowMajor, CblasNoTrans, blas_int(b.rows), blas_int(b.cols), alpha, b.data,
                blas_int(b.stride), a.data, 1, beta, c.data, 1);
    return;
  }
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, blas_int(a.rows), blas_int(b.rows),
              blas_int(a.cols), alpha, a.data, blas_int(a.stride), b.data, blas_int(b.stride), beta,
              c.data, blas_int(c.stride));
}

// Runs f(rows, cols) over the blocks of y.
template <typename F>
void for_each_block(ThreadPool& pool, MatrixView y, const F& f) {
  const std::size_t across = n_blocks(y.cols, kBlockCols);
  pool.parallel_for(n_blocks(y.rows, kBlockRows) * across, [&](std::size_t i, std::size_t) {
    const std::size_t row = i / across * kBlockRows;
    const std::size_t col = i % across * kBlockCols;
    f(row, std::min(kBlockRows, y.rows - row), col, std::min(kBlockCols, y.cols - col));
  });
}

// y (+)= x W^T without a bias.
void matmul_transposed(ThreadPool& pool, ConstMatrixView x, ConstMatrixView weight, MatrixView y,
                       Write mode) {
  assert(x.cols == weight.cols && y.rows == x.rows && y.cols == weight.rows);
  single_threaded_blas();
  const float beta = mode == Write::add ? 1.0F : 0.0F;
  for_each_block(pool, y, [&](std::size_t r, std::size_t nr, std::size_t c, std::size_t nc) {
    sgemm_nt(1.0F, x.row_range(r, nr), weight.row_range(c, nc), beta,
             y.row_range(r, nr).col_range(c, nc));
  });
}

}  // namespace

void linear(ThreadPool& pool, ConstMatrixView x, const Linear& w, MatrixView y, Write mode) {
  const ConstMatrixView weight = w.weight.view();
  assert(x.cols == weight.cols && y.rows == x.rows && y.cols == weight.rows);
  if (w.bias.empty()) return matmul_transposed(pool, x, weight, y, mode);
  single_threaded_blas();
  for_each_block(pool, y, [&](std::size_t r, std::size_t nr, std::size_t c, std::size_t nc) {
    const MatrixView block = y.row_range(r, nr).col_range(c, nc);
    const auto bias = std::span(w.bias).subspan(c, nc);
    for (std::size_t i = 0; i < nr; ++i) {
      const auto row = block.row(i);
      if (mode == Write::replace) std::copy(bias.begin(), bias.end(), row.begin());
      if (mode == Write::add) elementwise::axpy(1.0F, bias, row);
    }
    sgemm_nt(1.0F, x.row_range(r, nr), weight.row_range(c, nc), 1.0F, block);
  });
}

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

void gemm_nt(float alpha, ConstMatrixView a, ConstMatrixView b, MatrixView c) {
  assert(a.cols == b.cols && c.rows == a.rows && c.cols == b.rows);
  single_threaded_blas();
  sgemm_nt(alpha, a, b, 0.0F, c);
}

void gemm_nn(ConstMatrixView a, ConstMatrixView b, MatrixView c) {
  assert(a.cols == b.rows && c.rows == a.rows && c.cols == b.cols);
  single_threaded_blas();
  const auto lock = blas_lock();
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, blas_int(a.rows), blas_int(b.cols),
              blas_int(a.cols), 1.0F, a.data, blas_int(a.stride), b.data, blas_int(b.stride), 0.0F,
              c.data, blas_int(c.stride));
}

void axpy(float a, std::span<const float> x, std::span<float> y) {
  assert(x.size() == y.size());
  elementwise::axpy(a, x, y);
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

std::string kernel_description() {
  return std::string(elementwise::target_name()) + (has_byte_instructions() ? " with VNNI" : "") +
         (has_amx_instructions() ? ", AMX" : "") +
         (has_bf16_instructions() ? " and BF16, " : ", ") +
         std::string(openblas_get_config()).substr(0, 15) + " " + openblas_get_corename();
}

}  // namespace wnpu::models
