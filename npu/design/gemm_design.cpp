#include <algorithm>
#include <stdexcept>

#include "npu/design/layer_design.h"
#include "npu/design/layer_streams.h"
#include "npu/design/resident.h"

namespace wnpu::npu {
namespace {

void require_multiple(std::size_t value, std::size_t of, const char* what) {
  if (of > 0 && value % of == 0) return;
  throw std::invalid_argument("gemm design: " + std::string(what) + ": expected a multiple of " +
                              std::to_string(of) + ", found " + std::to_string(value));
}

// Sizes that follow from a problem.
struct GemmCut {
  GemmCut(const Target& target, const GemmProblem& p)
      : rows(static_cast<std::size_t>(target.core_rows)),
        columns(static_cast<std::size_t>(target.columns)) {
    require_multiple(p.m, p.tile_m * rows, "m");
    require_multiple(p.n, p.tile_n * columns, "n");
    require_multiple(p.k, p.tile_k, "k");
    const std::size_t element = p.is_int8 ? 1 : 2;
    a_tile = p.tile_m * p.tile_k * element;
    b_tile = p.tile_k * p.tile_n * element;
    c_tile = p.tile_m * p.tile_n * 2;
    m_blocks = p.m / (p.tile_m * rows);
    n_blocks = p.n / (p.tile_n * columns);
    k_tiles = p.k / p.tile_k;
    scale_bytes = p.is_int8 ? p.tile_m * sizeof(float) : 0;
    panel_bytes = k_tiles * a_tile + scale_bytes;
    b_block = (1 + k_tiles) * b_tile;
  }
  std::size_t rows, columns;
  std::size_t a_tile, b_tile, c_tile, scale_bytes;  // of one element
  std::size_t m_blocks, n_blocks, k_tiles;
  std::size_t panel_bytes;  // a row of tiles of A, its scales behind it
  std::size_t b_block;      // a column of tiles of B, an element of parameters before it

  // Index of a result tile among all.
  std::uint64_t c_index(std::size_t panel, std::size_t tile) const {
    return panel * n_blocks * columns + tile;
  }
};

// Tiles that are longer than a core's descriptors move are for their time alone (check() refuses
// them); shorter ones are padded like a layer's.
void set_elements(Design& design, const OverlayLinks& overlay, const GemmCut& cut) {
  const auto set = [&](const std::vector<std::size_t>& links, std::size_t bytes) {
    for (const std::size_t link : links) {
      design.links[link].element_bytes = std::max<std::size_t>(bytes, kElementBytes);
    }
  };
  set(overlay.a_in, cut.a_tile);
  set(overlay.a_row, cut.a_tile);
  set(overlay.b_in, cut.b_tile);
  set(overlay.b_column, cut.b_tile);
  set(overlay.c_core, cut.c_tile);
  set(overlay.c_out, cut.c_tile);
}

void send_a(LayerStreams& streams, const GemmCut& cut, std::size_t m_block, bool has_residual) {
  for (std::size_t row = 0; row < cut.rows; ++row) {
    const std::uint64_t panel = (m_block * cut.rows + row) * cut.panel_bytes;
    if (cut.scale_bytes > 0) {
      streams.a_from_ddr(row, end_to_end(0, panel + cut.k_tiles * cut.a_tile, cut.scale_bytes), 1,
                         {});
    }
    for (std::size_t n_block = 0; n_block < cut.n_blocks; ++n_block) {
      streams.a_from_ddr(row, end_to_end(0, panel, cut.a_tile), cut.k_tiles, {});
      if (!has_residual) continue;
      const std::uint64_t first = cut.c_index(m_block * cut.rows + row, n_block * cut.columns);
      streams.a_from_ddr(row, end_to_end(3, first * cut.c_tile, cut.c_tile), cut.columns, {});
    }
  }
}

void send_b(LayerStreams& streams, const GemmCut& cut) {
  for (std::size_t column = 0; column < cut.columns; ++column) {
    for (std::size_t n_block = 0; n_block < cut.n_blocks; ++n_block) {
      const std::uint64_t block = (n_block * cut.columns + column) * cut.b_block;
      streams.b_from_ddr(column, end_to_end(1, block, cut.b_tile), 1 + cut.k_tiles, {});
    }
  }
}

void store_c(LayerStreams& streams, const GemmCut& cut, std::size_t m_block) {
  for (std::size_t tile = 0; tile < cut.n_blocks * cut.columns; ++tile) {
    for (std::size_t row = 0; row < cut.rows; ++row) {
      const std::uint64_t index = cut.c_index(m_block * cut.rows + row, tile);
      streams.c_to_ddr(
          row, tile % cut.columns,
          {end_to_end(0, 0, cut.c_tile), end_to_end(2, index * cut.c_tile, cut.c_tile), kNone});
    }
  }
}

}  // namespace

Design gemm_design(const Target& target, const GemmProblem& p) {
  const GemmCut cut(target, p);
  Design design;
  design.target = &target;
  design.name = "gemm " + std::to_string(p.m) + "x" + std::to_string(p.k) + "x" +
                std::to_string(p.n) + (p.is_int8 ? " int8" : " bf16") +
                (p.has_residual ? " + x" : "");
  design.memories = {{"a", true, cut.m_blocks * cut.rows * cut.panel_bytes, {}, 0, 0},
                     {"b", true, cut.n_blocks * cut.columns * cut.b_block, {}, 0, 0},
                     {"c", true, p.m * p.n * 2, {}, 0, 0}};
  if (p.has_residual) design.memories.push_back({"x", true, p.m * p.n * 2, {}, 0, 0});
  LayerStreams streams(design);
  set_elements(design, streams.overlay(), cut);
  for (std::size_t m_block = 0; m_block < cut.m_blocks; ++m_block) {
    Phase phase;
    phase.name = "gemm";
    phase.kernel = p.is_int8 ? Kernel::gemm_int8 : Kernel::gemm_bf16;
    phase.epilogue = p.has_residual ? Epilogue::bias_residual : Epilogue::bias;
    phase.outer = u32(cut.n_blocks);
    phase.inner = u32(cut.k_tiles);
    phase.m = u32(p.tile_m);
    phase.k = u32(p.tile_k);
    phase.n = u32(p.tile_n);
    design.phases.push_back(phase);
    send_a(streams, cut, m_block, p.has_residual);
    send_b(streams, cut);
    store_c(streams, cut, m_block);
  }
  return design;
}

}  // namespace wnpu::npu
