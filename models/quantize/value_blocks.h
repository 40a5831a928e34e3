// ggml's q types: rows of blocks of 32 values that share a scale and, in some, a minimum.
// Layouts: models/files/dequantize.cpp, which reads them.
#pragma once

#include <array>
#include <span>
#include <string>

#include "models/files/tensor_layout.h"

namespace wnpu::models {

using BlockValues = std::span<const float, kQuantBlock>;

// Parameters of a q type: levels from `least` to `most`, and whether blocks have a minimum.
struct BlockKind {
  int least;
  int most;
  bool has_minimum;
};
BlockKind block_kind(DType type);

// value = level * scale + minimum; scale and minimum are fp16 numbers.
struct ValueBlock {
  float scale = 0;
  float minimum = 0;
  std::array<int, kQuantBlock> levels = {};
};

// The fp16 number next to `value`. `name` is for the message. Throws ModelError beyond fp16's.
float scale_in_half(float value, const std::string& name);

// To the nearest level; 0, or the level next to it, where `scale` is 0.
int nearest_level(float value, float scale, const BlockKind& kind);

// Scales as ggml's quantize_row_*_ref chooses them: by the largest value or by both ends, in fp16.
// Levels are chosen by what was rounded, so that each value is the nearest that the block has.
ValueBlock nearest_block(const BlockKind& kind, BlockValues values, const std::string& name);

// The block as a file has it, behind `bytes`.
void append_block(DType type, const ValueBlock& block, std::string& bytes);

}  // namespace wnpu::models
