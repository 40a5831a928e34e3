// Shapes and operands of the tile kernels in types that a core knows: numbers and pointers. Layouts
// and rules are those of kernels.h.
#pragma once

#include <cstddef>
#include <cstdint>

#include "npu/kernel/bf16.h"

namespace wnpu::npu::kernel {

struct GemmShape {
  std::size_t m;  // multiple of 8
  std::size_t k;  // multiple of 8
  std::size_t n;  // multiple of 8, of 16 in int8
};

struct TileShape {
  std::size_t m;  // multiple of 4
  std::size_t n;  // multiple of 8
};

struct RowsShape {
  std::size_t rows;
  std::size_t width;  // multiple of 16
};

struct AttentionShape {
  std::size_t queries;  // multiple of 8
  std::size_t keys;     // in one block, multiple of 16, at most kMaxKeys
  std::size_t head;     // multiple of 8; 64 in every Whisper
};
inline constexpr std::size_t kMaxKeys = 64;

// Queries whose weights are made before they are used.
inline constexpr std::size_t kStripRows = 8;

struct AttentionOperands {
  const bfloat16* q;
  const bfloat16* k;
  const bfloat16* v;
  std::size_t valid;  // keys of this block that are not padding
};

// kernels.h AttentionState.
struct AttentionSums {
  float* reference;
  float* sum;
  float* acc;
  bfloat16* weights;
};

}  // namespace wnpu::npu::kernel
