// A plain matrix product on the overlay, operands streamed from DDR: for tensor operations alone
// (../tensor), for calibrating the time model against published figures and for benches. A layer's
// products keep their activations in mem tiles (layer_design.h).
#pragma once

#include "npu/design/design.h"

namespace wnpu::npu {

// C [m, n] = A [m, k] B [k, n] by tiles [tile_m, tile_k] x [tile_k, tile_n] a core. m must be a
// multiple of tile_m * core rows, n of tile_n * columns, k of tile_k.
struct GemmProblem {
  std::size_t m = 0, k = 0, n = 0;
  std::size_t tile_m = 64, tile_k = 64, tile_n = 64;
  bool is_int8 = false;
  bool has_residual = false;  // C = A B + X, the sum made in float
};

// Arguments: A, B and C as tiles in the order in which they are streamed, X as C. A is read once
// for every block of result columns, B once for every block of result rows. Tiles larger than the
// resident program's buffers make a Design that is good for time only; check() refuses it.
Design gemm_design(const Target& target, const GemmProblem& problem);

}  // namespace wnpu::npu
