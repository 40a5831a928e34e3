#include "npu/design/layer_abi.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "npu/design/resident.h"

namespace wnpu::npu {
namespace {

void expect_shape(bool is_met, const char* what, const char* expected, std::size_t found) {
  if (is_met) return;
  throw std::invalid_argument(std::string("layer shape: ") + what + ": expected " + expected +
                              ", found " + std::to_string(found));
}

void validate_shape(const LayerShape& shape) {
  expect_shape(shape.frames > 0 && shape.frames <= 1536, "frames", "1 to 1536", shape.frames);
  expect_shape(shape.width > 0 && shape.width % 64 == 0 && shape.width <= 2048, "width",
               "a multiple of 64 up to 2048", shape.width);
  expect_shape(shape.heads > 0 && shape.heads <= shape.width / kHeadWidth, "heads",
               "1 to width / 64, for heads have 64 columns", shape.heads);
  expect_shape(shape.hidden > 0 && shape.hidden % 64 == 0, "hidden", "a multiple of 64",
               shape.hidden);
}

// The widest tile that cuts the states into whole blocks of `columns` tiles.
std::size_t state_tile_width(std::size_t width, std::size_t columns) {
  for (const std::size_t n : {64u, 48u, 40u, 32u, 16u}) {
    if (width % (n * columns) == 0) return n;
  }
  return 8;  // width is a multiple of 64, columns at most 8
}

GemmGeometry cut(std::size_t depth, std::size_t n, std::size_t n_tiles, bool is_int8,
                 std::size_t columns) {
  GemmGeometry g;
  g.is_int8 = is_int8;
  g.k = is_int8 ? 128 : 64;  // 8 KB of activations either way
  g.n = n;
  g.k_tiles = depth / g.k;
  g.n_tiles = n_tiles;
  g.blocks = (n_tiles + columns - 1) / columns;
  return g;
}

void cut_gemms(LayerGeometry& g) {
  const auto columns = static_cast<std::size_t>(g.target->columns);
  const LayerShape& s = g.shape;
  // int8 where LayerNorm's epilogue has made rows of int8: README, "int8".
  const bool is_int8 = g.precision == Precision::int8;
  const std::size_t n = state_tile_width(s.width, columns);
  g.gemms[0] = cut(s.width, 64, 3 * s.heads, is_int8, columns);
  g.gemms[1] = cut(s.attended(), n, s.width / n, false, columns);
  g.gemms[2] = cut(s.width, 64, s.hidden / 64, is_int8, columns);
  g.gemms[3] = cut(s.hidden, n, s.width / n, false, columns);
  for (GemmGeometry& gemm : g.gemms) {
    gemm.offset = g.weights_bytes;
    g.weights_bytes += columns * gemm.column_bytes();
  }
}

void lay_out_scratch(LayerGeometry& g) {
  const std::size_t states = g.rows * g.shape.width * 2;
  const std::size_t heads = g.rows * g.shape.attended() * 2;
  const auto columns = static_cast<std::size_t>(g.target->columns);
  const auto place = [&](std::size_t bytes) {
    const std::size_t offset = g.scratch_bytes;
    g.scratch_bytes += bytes;
    return offset;
  };
  g.query_offset = place(heads);
  g.key_value_offset = place(2 * heads);
  g.attention_offset = place(heads);
  g.normed_offset = place(states + g.rows * sizeof(float));  // int8 rows have scales
  g.states_offset = place(states);
  g.hidden_offset = place(g.rows * g.gemm(Gemm::up).blocks * columns * 64 * 2);
  g.padding_offset = place(kElementBytes);
  g.states_bytes = states;
}

}  // namespace

std::string_view precision_name(Precision precision) {
  return kPrecisionNames[static_cast<std::size_t>(precision)];
}

std::optional<Precision> find_precision(std::string_view name) {
  const auto* const found = std::ranges::find(kPrecisionNames, name);
  if (found == kPrecisionNames.end()) return std::nullopt;
  return static_cast<Precision>(found - kPrecisionNames.begin());
}

namespace {

// `shape` is a layer's, or a part's.
LayerGeometry cut_layer(const Target& target, const LayerShape& shape, Precision precision) {
  if (precision == Precision::int8) {
    expect_shape(shape.width % 128 == 0, "width for int8", "a multiple of 128", shape.width);
  }
  LayerGeometry g;
  g.target = &target;
  g.shape = shape;
  g.precision = precision;
  const auto core_rows = static_cast<std::size_t>(target.core_rows);
  const std::size_t wave_rows = kQueries * core_rows * static_cast<std::size_t>(target.columns);
  g.rows = rounded_up(shape.frames, wave_rows);  // a multiple of kPanelRows * core_rows as well
  g.row_blocks = g.rows / (kPanelRows * core_rows);
  g.waves = g.rows / wave_rows;
  g.key_blocks = g.rows / kKeys;
  g.norm_rows = shape.width * 2 * 4 <= kElementBytes ? 4 : 2;
  cut_gemms(g);
  lay_out_scratch(g);
  return g;
}

}  // namespace

LayerGeometry layer_geometry(const Target& target, const LayerShape& shape, Precision precision) {
  validate_shape(shape);
  return cut_layer(target, shape, precision);
}

LayerGeometry part_geometry(const Target& target, const LayerShape& shape, Precision precision,
                            const LayerPart& part) {
  validate_shape(shape);
  expect_shape(part.heads > 0 && part.first_head + part.heads <= shape.heads, "heads of a part",
               "some of the layer's", part.first_head + part.heads);
  expect_shape(part.hidden > 0 && part.first_hidden + part.hidden <= shape.hidden,
               "hidden columns of a part", "some of the layer's", part.first_hidden + part.hidden);
  expect_shape(part.hidden % 64 == 0 && part.first_hidden % 64 == 0, "hidden columns of a part",
               "multiples of 64", part.hidden);
  return cut_layer(target, {shape.frames, shape.width, part.heads, part.hidden}, precision);
}

std::size_t LayerGeometry::argument_bytes(LayerArgument argument) const {
  switch (argument) {
    case LayerArgument::input:
    case LayerArgument::output:
      return states_bytes;
    case LayerArgument::weights:
      return weights_bytes;
    case LayerArgument::scratch:
      return scratch_bytes;
  }
  return 0;
}

}  // namespace wnpu::npu
