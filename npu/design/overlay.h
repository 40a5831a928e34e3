// The one overlay: which channels and streams connect DDR, mem tiles and cores. The same for every
// call and every Whisper size. Drawing and reasons: README.md.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "npu/design/design.h"

namespace wnpu::npu {

// Packet ids of tokens. mlir-aie gives shims 15 and routes their tokens itself, but no other tile's
// (AIEGenerateColumnControlOverlay, default shim-only; its tests that await mem tiles write the
// routes down, test/npu-xrt/memtile_dmas/writebd_tokens). Below 16: a token has four bits for it
// (the same file). No stream has one of them.
constexpr int kShimTokens = 15;
constexpr int kMemTokens = 14;

// Links of the overlay, by where they are. Rows and columns are a Target's: rows count over the
// halves of the array, columns within one. Mem tile r broadcasts the activations of row r and
// collects its results; nothing of a half is in a mem tile of the other.
struct OverlayLinks {
  int rows = 0;     // and mem tiles
  int columns = 0;  // of a half
  int halves = 1;
  std::vector<std::size_t> a_in;      // [row] DDR to the row's mem tile
  std::vector<std::size_t> a_row;     // [row] mem tile to all cores of the row
  std::vector<std::size_t> b_in;      // [mem tile] DDR to it
  std::vector<std::size_t> b_column;  // [mem tile] to all cores of its column
  std::vector<std::size_t> b_all;     // [half] DDR to its mem tiles: keys and values
  std::vector<std::size_t> c_core;    // [row * columns + column] core to the row's mem tile
  std::vector<std::size_t> c_out;     // [mem tile] to DDR
};

// Adds the overlay's channels, links and core layout to `design`, whose target is set.
OverlayLinks add_overlay(Design& design);

// SHA-256, in hex, of the sources that decide what a core does with the bytes it is sent: tile
// kernels, the phases' header and steps, and how arguments are packed. Computed when the library is
// built (core_program_digest.cmake).
std::string_view core_program_digest();

}  // namespace wnpu::npu
