// The tile kernels: what one core of the array computes on the buffers in its data memory.
//
// Layouts. A matrix [rows, cols] in tiles RxC means: tiles in row-major order, each tile's R*C
// elements contiguous and row-major. These are the operand layouts of the array's matrix
// instruction; DMA re-tiles between them and row-major on the way (4-byte granularity).
//   left operand   4x8 tiles  [m/4][k/8][4][8]
//   right operand  8x4 tiles  [k/8][n/4][8][4]   (int8: 8x8 tiles [k/8][n/8][8][8])
//   result         4x4 tiles  [m/4][n/4][4][4]   (int8: 4x8 tiles [m/4][n/8][4][8])
// Rows of layer_norm_rows and quantise_rows are row-major.
//
// Denormals are zero in and out. Same input, same bits: on every SIMD target and thread count.
// Spans of the wrong size, or sizes that are no multiple of the tile, throw std::invalid_argument.
// No kernel allocates. Errors against exact arithmetic: README.md in this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "npu/kernel/bf16.h"
#include "npu/kernel/tile_shapes.h"

namespace wnpu::npu::kernel {

// ---- Matrix products

// c += a * b. Accumulates in float, 8 products along k at a time. Clear c before the first k-tile.
void gemm_bf16(GemmShape shape, std::span<const bfloat16> a, std::span<const bfloat16> b,
               std::span<float> c);

// c += a * b, exact (wraps only beyond int32: k <= 131,072 cannot).
void gemm_int8(GemmShape shape, std::span<const std::int8_t> a, std::span<const std::int8_t> b,
               std::span<std::int32_t> c);

// ---- What follows a product: c is the result in 4x4 tiles, a bias has one value a column
// ---------

// y = c + bias, in 4x4 tiles. y of the float form may be c.
void bias(TileShape shape, std::span<const float> c, std::span<const float> column_bias,
          std::span<bfloat16> y, Rounding rounding);
void bias(TileShape shape, std::span<const float> c, std::span<const float> column_bias,
          std::span<float> y);

// y = gelu(c + bias), gelu(x) = x/2 (1 + erf(x/sqrt 2)), in 4x4 tiles.
void bias_gelu(TileShape shape, std::span<const float> c, std::span<const float> column_bias,
               std::span<bfloat16> y, Rounding rounding);

// x += c + bias, in 4x4 tiles; the sum is made in float.
void bias_residual(TileShape shape, std::span<const float> c, std::span<const float> column_bias,
                   std::span<bfloat16> x, Rounding rounding);
void bias_residual(TileShape shape, std::span<const float> c, std::span<const float> column_bias,
                   std::span<float> x);

// The scales an int8 product is multiplied with to give real numbers.
struct Scales {
  std::span<const float> row;     // [m], from quantise_rows
  std::span<const float> column;  // [n], of the weights
};

// y = c * row scale * column scale, from int32 in 4x8 tiles to float in 4x4 tiles, so that the
// kernels above follow. y may be the same memory as c.
void dequantise(TileShape shape, std::span<const std::int32_t> c, Scales scales,
                std::span<float> y);

// ---- Rows

// y = (x - mean) / sqrt(variance + 1e-5), a row at a time. gamma and beta belong in the weights and
// bias of the product that follows: W' = gamma * W, b' = b + beta W, which is exact.
void layer_norm_rows(RowsShape shape, std::span<const bfloat16> x, std::span<bfloat16> y,
                     Rounding rounding);
void layer_norm_rows(RowsShape shape, std::span<const float> x, std::span<bfloat16> y,
                     Rounding rounding);

// q = round(x / scale), to nearest even, scale = max |x| / 127 of the row (0 for a row of zeros).
// Rows with NaN, infinities or values above 2^124 give meaningless q: on the way to one over the
// largest there is no normal float.
void quantise_rows(RowsShape shape, std::span<const bfloat16> x, std::span<std::int8_t> q,
                   std::span<float> scale);

// ---- Attention: one head, a block of queries, keys and values streamed past in blocks
// ------------

// Attention works with powers of two. The scale below must be in W_q and b_q when they are packed;
// then 2^(q.k) is exp(q.k / sqrt(head)) of the plain q.
float query_scale(std::size_t head);  // log2(e) / sqrt(head)

struct KeyValueBlock {
  std::span<const bfloat16> k;  // [keys, head] in 4x8 tiles; transposed in the kernel
  std::span<const bfloat16> v;  // [keys, head] in 8x4 tiles
  std::size_t valid;            // keys from this one on are padding and get no weight; their v
                                // must be finite, as 0 * NaN is NaN here and on the array
};

// Running state of attention from block to block, and scratch for a strip's weights. A row's
// reference and sum fill tiles of four rows, a row's value four times: [queries/4][4][4].
struct AttentionState {
  std::span<float> reference;   // [queries * 4] what weights are relative to, whole numbers
  std::span<float> sum;         // [queries * 4] running sum of the weights
  std::span<float> acc;         // [queries, head] in 4x4 tiles: running sum of weight * value
  std::span<bfloat16> weights;  // [kStripRows, keys] scratch
};
constexpr std::size_t statistics_size(AttentionShape shape) { return shape.queries * 4; }
constexpr std::size_t weights_size(AttentionShape shape) { return kStripRows * shape.keys; }

void flash_attention_start(AttentionShape shape, AttentionState state);
// q: [queries, head] in 4x8 tiles. Scores beyond +-2^21 saturate; a row whose scores have NaN or
// positive infinity becomes NaN. Rows do not influence each other.
void flash_attention_step(AttentionShape shape, std::span<const bfloat16> q, KeyValueBlock block,
                          AttentionState state, Rounding rounding);
// y = acc / sum, [queries, head] in 4x4 tiles. Rows that saw no key become zero.
void flash_attention_finish(AttentionShape shape, AttentionState state, std::span<bfloat16> y,
                            Rounding rounding);

// ---- Which SIMD code runs
// ------------------------------------------------------------------------

// "avx2" or "baseline": the best this machine has.
const char* simd_target();

}  // namespace wnpu::npu::kernel
