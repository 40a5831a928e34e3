// One row's operation as a call of its own: the plan of November 2025, kept to show why it fails.
// The overlay is the one of the fused layer; every core does the same row, one result is kept.
#pragma once

#include "npu/design/design.h"

namespace wnpu::npu {

enum class RowOp {
  layer_norm,  // row -> normalised row; bf16, row-major
  attend,      // queries of one row and head, all keys and values of the head -> attended row
  gelu,        // a chunk of kGeluChunk elements
};

// In the November 2025 measurements a GELU call took 512 elements (Seed2025 in
// npu/plans/plan_model.h).
constexpr std::size_t kGeluChunk = 512;
// The array's attention works on groups of 8 queries; one of them means something.
constexpr std::size_t kRowQueries = 8;

struct RowShape {
  std::size_t width = 0;   // layer_norm: multiple of 16, at most 4096
  std::size_t frames = 0;  // attend: keys that are no padding
};

// Arguments: input, output, and for attend the keys and values of the head (layer_abi.h scratch).
Design row_design(const Target& target, RowOp op, const RowShape& shape);

}  // namespace wnpu::npu
