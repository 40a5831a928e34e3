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

// Links of the overlay, by where they are. A row of cores is served by `tiles_a_row` mem tiles: the
// first of them broadcasts the row's activations, each collects results of up to four cores.
struct OverlayLinks {
  int rows = 0;
  int columns = 0;
  int tiles_a_row = 0;                // 1 on npu1, 2 on npu4
  std::vector<std::size_t> a_in;      // [row] DDR to the row's mem tile
  std::vector<std::size_t> a_row;     // [row] mem tile to all cores of the row
  std::vector<std::size_t> b_in;      // [column] DDR to the column's mem tile
  std::vector<std::size_t> b_column;  // [column] mem tile to all cores of the column
  std::size_t b_all = 0;              // DDR to all mem tiles: keys and values
  std::vector<std::size_t> c_core;    // [row * columns + column] core to the row's mem tile
  std::vector<std::size_t> c_out;     // [column] mem tile to DDR

  // The mem tile (= its column) that takes the results of core (row, column).
  int mem_of(int row, int column) const {
    return row * tiles_a_row + column / (columns / tiles_a_row);
  }
  // The row of cores that a mem tile serves.
  int row_of(int mem) const { return mem / tiles_a_row; }
};

// Adds the overlay's channels, links and core layout to `design`, whose target is set.
OverlayLinks add_overlay(Design& design);

// SHA-256, in hex, of the sources that decide what a core does with the bytes it is sent: tile
// kernels, the phases' header and steps, and how arguments are packed. Computed when the library is
// built (core_program_digest.cmake).
std::string_view core_program_digest();

}  // namespace wnpu::npu
