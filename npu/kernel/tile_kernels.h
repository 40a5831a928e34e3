// The tile kernels: what one core of the array computes on the buffers in its data memory, as a
// table of functions for one SIMD target. Plain pointers, as the array's cores have them: what a
// Design asks of them is looked at before (phase_fault in design/resident.h).
//
// Layouts. A matrix [rows, cols] in tiles RxC means: tiles in row-major order, each tile's R*C
// elements contiguous and row-major. These are the operand layouts of the array's matrix
// instruction; DMA re-tiles between them and row-major on the way (4-byte granularity).
//   left operand   4x8 tiles  [m/4][k/8][4][8]
//   right operand  8x4 tiles  [k/8][n/4][8][4]   (int8: 8x8 tiles [k/8][n/8][8][8])
//   result         4x4 tiles  [m/4][n/4][4][4]   (int8: 4x8 tiles [m/4][n/8][4][8])
// Rows of LayerNorm and quantisation are row-major. A bias has one value a column.
//
// Denormals are zero in and out. Same input, same bits: on every SIMD target and thread count. No
// kernel allocates. Errors against exact arithmetic: README.md in this folder.
#pragma once

#include <cstddef>
#include <cstdint>

#include "npu/kernel/tile_shapes.h"

namespace wnpu::npu::kernel {

struct TileKernels {
  const char* name;

  // c += a * b. Accumulates in float, 8 products along k at a time. Clear c before the first
  // k-tile.
  void (*gemm_bf16)(GemmShape, const bfloat16* a, const bfloat16* b, float* c);
  // c += a * b, exact (wraps only beyond int32: k <= 131,072 cannot).
  void (*gemm_int8)(GemmShape, const std::int8_t* a, const std::int8_t* b, std::int32_t* c);

  // y = c + bias, in 4x4 tiles.
  void (*bias_bf16)(TileShape, const float* c, const float* bias, bfloat16* y, Rounding);
  // y = gelu(c + bias), gelu(x) = x/2 (1 + erf(x/sqrt 2)), in 4x4 tiles.
  void (*bias_gelu)(TileShape, const float* c, const float* bias, bfloat16* y, Rounding);
  // x += c + bias, in 4x4 tiles; the sum is made in float.
  void (*bias_residual_bf16)(TileShape, const float* c, const float* bias, bfloat16* x, Rounding);
  // y = c * row scale * column scale, from int32 in 4x8 tiles to float in 4x4 tiles, so that the
  // kernels above follow. y may be the same memory as c.
  void (*dequantise)(TileShape, const std::int32_t* c, const float* row_scale,
                     const float* column_scale, float* y);

  // y = (x - mean) / sqrt(variance + 1e-5), a row at a time. gamma and beta belong in the weights
  // and bias of the product that follows: W' = gamma * W, b' = b + beta W, which is exact.
  void (*layer_norm_bf16)(RowsShape, const bfloat16* x, bfloat16* y, Rounding);
  // q = round(x / scale), to nearest even, scale = max |x| / 127 of the row (0 for a row of zeros).
  // Rows with NaN, infinities or values above 2^124 give meaningless q: on the way to one over the
  // largest there is no normal float.
  void (*quantise)(RowsShape, const bfloat16* x, std::int8_t* q, float* scale);

  // Attention of one head, a block of queries, keys and values streamed past in blocks. Scores are
  // powers of two: q has the scale query_scale() (design/layer_abi.h). q and k: 4x8 tiles, k
  // transposed in the kernel; v: 8x4 tiles, finite also where keys are padding, as 0 * NaN is NaN
  // here and on the array. Scores beyond +-2^21 saturate; a row whose scores have NaN or positive
  // infinity becomes NaN. Rows do not influence each other.
  void (*attention_start)(AttentionShape, AttentionSums);
  void (*attention_step)(AttentionShape, AttentionOperands, AttentionSums, Rounding);
  // y = acc / sum, [queries, head] in 4x4 tiles. Rows that saw no key become zero.
  void (*attention_finish)(AttentionShape, AttentionSums, bfloat16* y, Rounding);

  // n floats, a multiple of 16; of bfloat16 in copy 32.
  void (*fill)(std::size_t n, float value, float* y);
  void (*copy_floats)(std::size_t n, const float* x, float* y);
  void (*copy)(std::size_t n, const bfloat16* x, bfloat16* y);
  void (*widen)(std::size_t n, const bfloat16* x, float* y);
};

// The best of this machine; an ArrayFloatMode has to be there while its kernels run.
const TileKernels& array_kernels();

// The processor's float mode is as the array's while this lives: denormals are zero, rounding is
// the default, nothing is trapped. A file an architecture: float_mode_x86.cpp, float_mode_arm.cpp.
class ArrayFloatMode {
 public:
  ArrayFloatMode();
  ~ArrayFloatMode();
  ArrayFloatMode(const ArrayFloatMode&) = delete;
  ArrayFloatMode& operator=(const ArrayFloatMode&) = delete;

 private:
  std::uint64_t saved_;
};

// Null where this machine cannot run it (wider_targets_arm.cpp: never there).
const TileKernels* baseline_kernels();
const TileKernels* avx2_kernels();

}  // namespace wnpu::npu::kernel
