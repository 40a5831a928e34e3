#include "npu/design/layer_tuning.h"

#include <stdexcept>
#include <string>

#include "npu/core/core_memory.h"
#include "npu/design/limits.h"

namespace wnpu::npu {
namespace {

void expect_tuning(bool is_met, const char* what, const std::string& expected, std::size_t found) {
  if (is_met) return;
  throw std::invalid_argument(std::string("layer tuning: ") + what + ": expected " + expected +
                              ", found " + std::to_string(found));
}

bool is_norm_rows(std::size_t rows) { return rows == 2 || rows == 4 || rows == 8 || rows == 16; }

void validate_tuning(const LayerGeometry& g, const LayerTuning& t) {
  const auto columns = static_cast<std::size_t>(g.target->columns);
  const auto most_slots = static_cast<std::size_t>(kMaxLockValue);
  const std::size_t n = t.state_tile;
  expect_tuning(n == 0 || (n % 8 == 0 && n <= 64 && g.shape.width % (n * columns) == 0),
                "state_tile",
                "a multiple of 8 up to 64 that cuts " + std::to_string(g.shape.width) +
                    " columns into " + std::to_string(columns) + " equal parts",
                n);
  expect_tuning(t.qkv_tile == kHeadWidth || t.qkv_tile == kHeadWidth / 2, "qkv_tile", "64 or 32",
                t.qkv_tile);
  const std::size_t row_bytes = g.shape.width * 2;
  expect_tuning(
      t.norm_rows == 0 || (is_norm_rows(t.norm_rows) && t.norm_rows * row_bytes <= kElementBytes &&
                           kPanelRows / t.norm_rows % columns == 0),
      "norm_rows", "2, 4, 8 or 16 rows of at most 8192 bytes that all columns share", t.norm_rows);
  expect_tuning(t.a_slots >= 1 && t.a_slots <= most_slots, "a_slots", "1 to 63", t.a_slots);
  expect_tuning(t.b_slots >= 1 && t.b_slots <= most_slots, "b_slots", "1 to 63", t.b_slots);
  expect_tuning(t.state_panels == 1 || t.state_panels == 2, "state_panels", "1 or 2",
                t.state_panels);
  expect_tuning(t.qkv_row_blocks >= 1 && t.qkv_row_blocks <= g.row_blocks, "qkv_row_blocks",
                "1 to " + std::to_string(g.row_blocks), t.qkv_row_blocks);
  expect_tuning(t.qkv_row_blocks == 1 || g.precision == Precision::bf16, "qkv_row_blocks",
                "1 with int8, whose cores take the scales of one row block a phase",
                t.qkv_row_blocks);
}

// Another width of the result tiles; the depth of a tile stays.
void cut_columns(GemmGeometry& gemm, std::size_t n, std::size_t columns) {
  gemm.n_tiles = gemm.n_tiles * gemm.n / n;
  gemm.n = n;
  gemm.blocks = (gemm.n_tiles + columns - 1) / columns;
}

}  // namespace

TunedLayer tuned_layer(const Target& target, const LayerShape& shape, Precision precision,
                       const LayerTuning& tuning) {
  TunedLayer layer{layer_geometry(target, shape, precision), tuning};
  LayerGeometry& g = layer.geometry;
  validate_tuning(g, tuning);
  const auto columns = static_cast<std::size_t>(target.columns);
  if (tuning.norm_rows != 0) g.norm_rows = tuning.norm_rows;
  cut_columns(g.gemms[static_cast<std::size_t>(Gemm::qkv)], tuning.qkv_tile, columns);
  if (tuning.state_tile != 0) {
    for (const Gemm which : {Gemm::out, Gemm::down}) {
      cut_columns(g.gemms[static_cast<std::size_t>(which)], tuning.state_tile, columns);
    }
  }
  g.weights_bytes = 0;
  for (GemmGeometry& gemm : g.gemms) {
    gemm.offset = g.weights_bytes;
    g.weights_bytes += columns * gemm.column_bytes();
  }
  return layer;
}

}  // namespace wnpu::npu
