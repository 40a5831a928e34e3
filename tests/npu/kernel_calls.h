// The best tile kernels of this machine on spans, in the array's float mode.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "npu/kernel/tile_kernels.h"

namespace wnpu::npu::kernel {

inline void gemm_bf16(GemmShape shape, std::span<const bfloat16> a, std::span<const bfloat16> b,
                      std::span<float> c) {
  const ArrayFloatMode mode;
  array_kernels().gemm_bf16(shape, a.data(), b.data(), c.data());
}

inline void gemm_int8(GemmShape shape, std::span<const std::int8_t> a,
                      std::span<const std::int8_t> b, std::span<std::int32_t> c) {
  array_kernels().gemm_int8(shape, a.data(), b.data(), c.data());
}

inline void bias(TileShape shape, std::span<const float> c, std::span<const float> column_bias,
                 std::span<bfloat16> y, Rounding rounding) {
  const ArrayFloatMode mode;
  array_kernels().bias_bf16(shape, c.data(), column_bias.data(), y.data(), rounding);
}

inline void bias_gelu(TileShape shape, std::span<const float> c, std::span<const float> column_bias,
                      std::span<bfloat16> y, Rounding rounding) {
  const ArrayFloatMode mode;
  array_kernels().bias_gelu(shape, c.data(), column_bias.data(), y.data(), rounding);
}

inline void bias_residual(TileShape shape, std::span<const float> c,
                          std::span<const float> column_bias, std::span<bfloat16> x,
                          Rounding rounding) {
  const ArrayFloatMode mode;
  array_kernels().bias_residual_bf16(shape, c.data(), column_bias.data(), x.data(), rounding);
}

struct Scales {
  std::span<const float> row;     // [m]
  std::span<const float> column;  // [n]
};

inline void dequantise(TileShape shape, std::span<const std::int32_t> c, Scales scales,
                       std::span<float> y) {
  const ArrayFloatMode mode;
  array_kernels().dequantise(shape, c.data(), scales.row.data(), scales.column.data(), y.data());
}

inline void layer_norm_rows(RowsShape shape, std::span<const bfloat16> x, std::span<bfloat16> y,
                            Rounding rounding) {
  const ArrayFloatMode mode;
  array_kernels().layer_norm_bf16(shape, x.data(), y.data(), rounding);
}

inline void quantise_rows(RowsShape shape, std::span<const bfloat16> x, std::span<std::int8_t> q,
                          std::span<float> scale) {
  const ArrayFloatMode mode;
  array_kernels().quantise(shape, x.data(), q.data(), scale.data());
}

struct KeyValueBlock {
  std::span<const bfloat16> k;  // [keys, head] in 4x8 tiles
  std::span<const bfloat16> v;  // [keys, head] in 8x4 tiles
  std::size_t valid;            // keys from this one on are padding
};

struct AttentionState {
  std::span<float> reference, sum, acc;
  std::span<bfloat16> weights;

  AttentionSums sums() const { return {reference.data(), sum.data(), acc.data(), weights.data()}; }
};

inline void flash_attention_start(AttentionShape shape, AttentionState state) {
  array_kernels().attention_start(shape, state.sums());
}

inline void flash_attention_step(AttentionShape shape, std::span<const bfloat16> q,
                                 KeyValueBlock block, AttentionState state, Rounding rounding) {
  const ArrayFloatMode mode;
  const std::size_t valid = std::min(block.valid, shape.keys);
  array_kernels().attention_step(shape, {q.data(), block.k.data(), block.v.data(), valid},
                                 state.sums(), rounding);
}

inline void flash_attention_finish(AttentionShape shape, AttentionState state,
                                   std::span<bfloat16> y, Rounding rounding) {
  const ArrayFloatMode mode;
  array_kernels().attention_finish(shape, state.sums(), y.data(), rounding);
}

}  // namespace wnpu::npu::kernel
