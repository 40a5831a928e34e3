// Free parameters of a layer's Design. The defaults were chosen by hand for Whisper's sizes;
// npu/lab/tune.py looks for better ones.
//
// Not free, and why:
// - 64 rows a core, steps of 8 KB: accumulators and ports of the resident program.
// - 48 queries, 32 keys, heads of 64: the attention kernel's sums, one element of keys and values.
// - Hidden tiles of 64 columns: they are the depth steps of `down`.
// - One tile width of `out` and `down`: the residual of both is states in the same tiles.
// - A slot a core for results: a result takes longer to make than to drain.
// - Channels, links and core memory: the overlay, which every call shares.
// - The residual over the A stream: the walk of the cores takes it from there.
#pragma once

#include <cstddef>

#include "npu/design/layer_abi.h"

namespace wnpu::npu {

// Zero where a number is by rule.
struct LayerTuning {
  // Columns of a result tile of `out` and `down`; by rule the widest that leaves no column idle.
  std::size_t state_tile = 0;
  // Columns of a result tile of qkv: a head's 64, or 32. Halves leave fewer padding tiles.
  std::size_t qkv_tile = kHeadWidth;
  // Rows in an element of a LayerNorm; by rule four neighbours where they fit, else two. Eight and
  // sixteen are one of each of so many groups of four: a channel has no dimension for more.
  std::size_t norm_rows = 0;
  // Slots of the rings in mem tiles, of activations and of weights.
  std::size_t a_slots = 4;
  std::size_t b_slots = 4;
  // Panels of states before a LayerNorm: the next is loaded while one is in use, where two fit.
  std::size_t state_panels = 2;
  // Whether the hidden block stays in the mem tile where it fits.
  bool keeps_hidden = true;
  // Row blocks that one reading of qkv's weights serves: their normed panels lie side by side.
  std::size_t qkv_row_blocks = 1;
  // Whether blocks of keys that are all padding are attended.
  bool attends_padding = true;
  // Whether keys and values are read once, a broadcast to all columns; else by every column.
  bool broadcasts_keys = true;

  bool operator==(const LayerTuning&) const = default;
};

// A layer's geometry with the tuning that it was cut by.
struct TunedLayer {
  LayerGeometry geometry;
  LayerTuning tuning;
};

// Throws std::invalid_argument, naming expected and found, for a tuning that no call of the shape
// can have. What does not fit in the end says check().
TunedLayer tuned_layer(const Target& target, const LayerShape& shape, Precision precision,
                       const LayerTuning& tuning = {});

}  // namespace wnpu::npu
