// Checks sizes, sets the processor's float mode, and calls the tile kernels of the best SIMD
// target.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>

#include "npu/kernel/kernels.h"
#include "npu/kernel/tile_kernels.h"

namespace wnpu::npu::kernel {

const TileKernels& array_kernels() {
  static const TileKernels& chosen = avx2_kernels() ? *avx2_kernels() : *baseline_kernels();
  return chosen;
}

namespace {

void check_size(const char* what, std::size_t expected, std::size_t found) {
  if (expected == found) return;
  throw std::invalid_argument(std::string(what) + ": expected " + std::to_string(expected) +
                              " elements, found " + std::to_string(found));
}

void check_multiple(const char* what, std::size_t value, std::size_t of) {
  if (value > 0 && value % of == 0) return;
  throw std::invalid_argument(std::string(what) + ": expected a multiple of " + std::to_string(of) +
                              ", found " + std::to_string(value));
}

template <typename Operand, typename Result>
void check_gemm(GemmShape s, Operand a, Operand b, Result c) {
  constexpr std::size_t kTwoTiles = sizeof(a[0]) == 1 ? 16 : 8;  // along n
  check_multiple("gemm m", s.m, 8);
  check_multiple("gemm k", s.k, 8);
  check_multiple("gemm n", s.n, kTwoTiles);
  check_size("gemm a", s.m * s.k, a.size());
  check_size("gemm b", s.k * s.n, b.size());
  check_size("gemm c", s.m * s.n, c.size());
}

void check_tile(TileShape s, std::size_t c, std::size_t bias, std::size_t y) {
  check_multiple("tile m", s.m, 4);
  check_multiple("tile n", s.n, 8);
  check_size("tile c", s.m * s.n, c);
  check_size("tile bias", s.n, bias);
  check_size("tile y", s.m * s.n, y);
}

void check_rows(RowsShape s, std::size_t x, std::size_t y) {
  check_multiple("rows width", s.width, 16);
  check_size("rows x", s.rows * s.width, x);
  check_size("rows y", s.rows * s.width, y);
}

void check_attention(AttentionShape s, AttentionState state) {
  check_multiple("attention queries", s.queries, 8);
  check_multiple("attention keys", s.keys, 16);
  check_multiple("attention head", s.head, 8);
  if (s.keys > kMaxKeys) {
    throw std::invalid_argument("attention keys: expected at most " + std::to_string(kMaxKeys) +
                                ", found " + std::to_string(s.keys));
  }
  check_size("attention reference", statistics_size(s), state.reference.size());
  check_size("attention sum", statistics_size(s), state.sum.size());
  check_size("attention acc", s.queries * s.head, state.acc.size());
  check_size("attention weights", weights_size(s), state.weights.size());
}

AttentionSums sums_of(AttentionState state) {
  return {state.reference.data(), state.sum.data(), state.acc.data(), state.weights.data()};
}

}  // namespace

void gemm_bf16(GemmShape shape, std::span<const bfloat16> a, std::span<const bfloat16> b,
               std::span<float> c) {
  check_gemm(shape, a, b, c);
  const ArrayFloatMode mode;
  array_kernels().gemm_bf16(shape, a.data(), b.data(), c.data());
}

void gemm_int8(GemmShape shape, std::span<const std::int8_t> a, std::span<const std::int8_t> b,
               std::span<std::int32_t> c) {
  check_gemm(shape, a, b, c);
  array_kernels().gemm_int8(shape, a.data(), b.data(), c.data());
}

void bias(TileShape shape, std::span<const float> c, std::span<const float> column_bias,
          std::span<bfloat16> y, Rounding rounding) {
  check_tile(shape, c.size(), column_bias.size(), y.size());
  const ArrayFloatMode mode;
  array_kernels().bias_bf16(shape, c.data(), column_bias.data(), y.data(), rounding);
}

void bias(TileShape shape, std::span<const float> c, std::span<const float> column_bias,
          std::span<float> y) {
  check_tile(shape, c.size(), column_bias.size(), y.size());
  const ArrayFloatMode mode;
  array_kernels().bias_float(shape, c.data(), column_bias.data(), y.data());
}

void bias_gelu(TileShape shape, std::span<const float> c, std::span<const float> column_bias,
               std::span<bfloat16> y, Rounding rounding) {
  check_tile(shape, c.size(), column_bias.size(), y.size());
  const ArrayFloatMode mode;
  array_kernels().bias_gelu(shape, c.data(), column_bias.data(), y.data(), rounding);
}

void bias_residual(TileShape shape, std::span<const float> c, std::span<const float> column_bias,
                   std::span<bfloat16> x, Rounding rounding) {
  check_tile(shape, c.size(), column_bias.size(), x.size());
  const ArrayFloatMode mode;
  array_kernels().bias_residual_bf16(shape, c.data(), column_bias.data(), x.data(), rounding);
}

void bias_residual(TileShape shape, std::span<const float> c, std::span<const float> column_bias,
                   std::span<float> x) {
  check_tile(shape, c.size(), column_bias.size(), x.size());
  const ArrayFloatMode mode;
  array_kernels().bias_residual_float(shape, c.data(), column_bias.data(), x.data());
}

void dequantise(TileShape shape, std::span<const std::int32_t> c, Scales scales,
                std::span<float> y) {
  check_tile(shape, c.size(), scales.column.size(), y.size());
  check_size("row scales", shape.m, scales.row.size());
  const ArrayFloatMode mode;
  array_kernels().dequantise(shape, c.data(), scales.row.data(), scales.column.data(), y.data());
}

void layer_norm_rows(RowsShape shape, std::span<const bfloat16> x, std::span<bfloat16> y,
                     Rounding rounding) {
  check_rows(shape, x.size(), y.size());
  const ArrayFloatMode mode;
  array_kernels().layer_norm_bf16(shape, x.data(), y.data(), rounding);
}

void layer_norm_rows(RowsShape shape, std::span<const float> x, std::span<bfloat16> y,
                     Rounding rounding) {
  check_rows(shape, x.size(), y.size());
  const ArrayFloatMode mode;
  array_kernels().layer_norm_float(shape, x.data(), y.data(), rounding);
}

void quantise_rows(RowsShape shape, std::span<const bfloat16> x, std::span<std::int8_t> q,
                   std::span<float> scale) {
  check_rows(shape, x.size(), q.size());
  check_size("row scales", shape.rows, scale.size());
  const ArrayFloatMode mode;
  array_kernels().quantise(shape, x.data(), q.data(), scale.data());
}

float query_scale(std::size_t head) {
  return static_cast<float>(std::numbers::log2e / std::sqrt(static_cast<double>(head)));
}

void flash_attention_start(AttentionShape shape, AttentionState state) {
  check_attention(shape, state);
  array_kernels().attention_start(shape, sums_of(state));
}

void flash_attention_step(AttentionShape shape, std::span<const bfloat16> q, KeyValueBlock block,
                          AttentionState state, Rounding rounding) {
  check_attention(shape, state);
  check_size("attention q", shape.queries * shape.head, q.size());
  check_size("attention k", shape.keys * shape.head, block.k.size());
  check_size("attention v", shape.keys * shape.head, block.v.size());
  const ArrayFloatMode mode;
  const std::size_t valid = std::min(block.valid, shape.keys);
  array_kernels().attention_step(shape, {q.data(), block.k.data(), block.v.data(), valid},
                                 sums_of(state), rounding);
}

void flash_attention_finish(AttentionShape shape, AttentionState state, std::span<bfloat16> y,
                            Rounding rounding) {
  check_attention(shape, state);
  check_size("attention y", shape.queries * shape.head, y.size());
  const ArrayFloatMode mode;
  array_kernels().attention_finish(shape, sums_of(state), y.data(), rounding);
}

const char* simd_target() { return array_kernels().name; }

}  // namespace wnpu::npu::kernel
