// Shapes and operands of the tile kernels in types that a core knows: numbers and pointers. Layouts
// and rules are those of tile_kernels.h.
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

// Running state of attention from block to block, and scratch for a strip's weights. A row's
// reference and sum fill tiles of four rows, a row's value four times: [queries/4][4][4].
struct AttentionSums {
  float* reference;   // [queries * 4] what weights are relative to, whole numbers
  float* sum;         // [queries * 4] running sum of the weights
  float* acc;         // [queries, head] in 4x4 tiles: running sum of weight * value
  bfloat16* weights;  // [kStripRows, keys] scratch
};
constexpr std::size_t statistics_size(AttentionShape shape) { return shape.queries * 4; }
constexpr std::size_t weights_size(AttentionShape shape) { return kStripRows * shape.keys; }

}  // namespace wnpu::npu::kernel
