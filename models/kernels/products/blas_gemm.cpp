// Products in fp32 by OpenBLAS.
#include <algorithm>

#include "models/kernels/products/gemm_of_number.h"
#include "models/kernels/vectors/blas.h"
#include "models/kernels/vectors/elementwise.h"

namespace wnpu::kernels {
namespace {

struct Block {
  std::size_t first_row, rows, first_col, cols;
};

void multiply_block(const Product& p, MatrixView c, const Block& block) {
  const MatrixView out =
      c.row_range(block.first_row, block.rows).col_range(block.first_col, block.cols);
  for (std::size_t r = 0; r < out.rows; ++r) {
    if (p.finish != Finish::add) std::ranges::fill(out.row(r), 0.0F);
    if (!p.bias.empty())
      elementwise::axpy(1.0F, p.bias.subspan(block.first_col, block.cols), out.row(r));
  }
  const PackedA a = p.a.from_row(block.first_row);
  const std::size_t n = p.b.n();
  const ConstMatrixView b{reinterpret_cast<const float*>(p.b.panel(0)), p.b.k(), n, n};
  blas_multiply_add(
      {reinterpret_cast<const float*>(a.data), block.rows, a.n_steps, a.stride / sizeof(float)},
      b.col_range(block.first_col, block.cols), out);
  if (p.finish != Finish::gelu) return;
  for (std::size_t r = 0; r < out.rows; ++r) elementwise::gelu(out.row(r));
}

}  // namespace

void multiply_blas(const Product& product, MatrixView c, const ProductShare& share) {
  multiply_block(product, c, {share.first_row, share.rows, 0, c.cols});
}

// Blocks of a fixed size, whatever the number of threads: rounding may depend on the block that an
// element is in.
void multiply_blas(models::ThreadPool& pool, const Product& product, MatrixView c) {
  constexpr std::size_t kRows = 128;
  constexpr std::size_t kCols = 512;
  const std::size_t down = (c.rows + kRows - 1) / kRows;
  const std::size_t across = (c.cols + kCols - 1) / kCols;
  pool.parallel_for(down * across, [&](std::size_t i, std::size_t) {
    const std::size_t row = i / across * kRows;
    const std::size_t col = i % across * kCols;
    multiply_block(product, c,
                   {row, std::min(kRows, c.rows - row), col, std::min(kCols, c.cols - col)});
  });
}

}  // namespace wnpu::kernels
