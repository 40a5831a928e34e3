// The tile kernels of one SIMD target: plain pointers to tile buffers, as the array's cores have
// them; sizes are checked by the callers in dispatch.cpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "npu/kernel/tile_shapes.h"

namespace wnpu::npu::kernel {

struct TileKernels {
  const char* name;
  void (*gemm_bf16)(GemmShape, const bfloat16* a, const bfloat16* b, float* c);
  void (*gemm_int8)(GemmShape, const std::int8_t* a, const std::int8_t* b, std::int32_t* c);
  void (*bias_bf16)(TileShape, const float* c, const float* bias, bfloat16* y, Rounding);
  void (*bias_float)(TileShape, const float* c, const float* bias, float* y);
  void (*bias_gelu)(TileShape, const float* c, const float* bias, bfloat16* y, Rounding);
  void (*bias_residual_bf16)(TileShape, const float* c, const float* bias, bfloat16* x, Rounding);
  void (*bias_residual_float)(TileShape, const float* c, const float* bias, float* x);
  void (*dequantise)(TileShape, const std::int32_t* c, const float* row_scale,
                     const float* column_scale, float* y);
  void (*layer_norm_bf16)(RowsShape, const bfloat16* x, bfloat16* y, Rounding);
  void (*layer_norm_float)(RowsShape, const float* x, bfloat16* y, Rounding);
  void (*quantise)(RowsShape, const bfloat16* x, std::int8_t* q, float* scale);
  void (*attention_start)(AttentionShape, AttentionSums);
  void (*attention_step)(AttentionShape, AttentionOperands, AttentionSums, Rounding);
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
