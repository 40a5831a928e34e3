// The table of tile kernels of the SIMD target that this is compiled for; see target_avx2.cpp.
#pragma once

#include "npu/kernel/tile_attention.h"
#include "npu/kernel/tile_epilogue.h"
#include "npu/kernel/tile_gemm.h"
#include "npu/kernel/tile_kernels.h"
#include "npu/kernel/tile_moves.h"
#include "npu/kernel/tile_rows.h"

namespace wnpu::npu::kernel {
inline namespace WNPU_TILE_TARGET {

constexpr TileKernels tile_kernels(const char* name) {
  TileKernels t{};
  t.name = name;
  t.gemm_bf16 = gemm_bf16;
  t.gemm_int8 = gemm_int8;
  t.bias_bf16 = [](TileShape s, const float* c, const float* b, bfloat16* y, Rounding rounding) {
    set_modes(rounding);
    bias_tile(s, c, b, y);
  };
  t.bias_gelu = [](TileShape s, const float* c, const float* b, bfloat16* y, Rounding rounding) {
    set_modes(rounding);
    bias_gelu_tile(s, c, b, y);
  };
  t.bias_residual_bf16 = [](TileShape s, const float* c, const float* b, bfloat16* x,
                            Rounding rounding) {
    set_modes(rounding);
    bias_residual_tile(s, c, b, x);
  };
  t.dequantise = dequantise_tile;
  t.layer_norm_bf16 = [](RowsShape s, const bfloat16* x, bfloat16* y, Rounding rounding) {
    set_modes(rounding);
    layer_norm_tile(s, x, y);
  };
  t.quantise = [](RowsShape s, const bfloat16* x, std::int8_t* q, float* scale) {
    set_modes(Rounding::nearest_even);
    quantise_tile(s, x, q, scale);
  };
  t.attention_start = attention_start_tile;
  t.attention_step = [](AttentionShape s, AttentionOperands in, AttentionSums sums,
                        Rounding rounding) {
    set_modes(rounding);
    attention_step_tile(s, in, sums);
  };
  t.attention_finish = [](AttentionShape s, AttentionSums sums, bfloat16* y, Rounding rounding) {
    set_modes(rounding);
    attention_finish_tile(s, sums, y);
  };
  t.fill = fill_tile;
  t.copy_floats = copy_floats_tile;
  t.copy = copy_tile;
  t.widen = widen_tile;
  return t;
}

}  // namespace WNPU_TILE_TARGET
}  // namespace wnpu::npu::kernel
