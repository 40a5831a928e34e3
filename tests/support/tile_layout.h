// Matrices to and from the tile layouts of npu/kernel/tile_kernels.h, and random bfloat16 operands.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "npu/kernel/bf16.h"
#include "tests/support/random_matrix.h"

namespace wnpu::tests {

struct TileSize {
  std::size_t rows, cols;
};

// Index of element (r, c) of a matrix with `cols` columns that is stored in tiles.
inline std::size_t tiled_index(std::size_t cols, TileSize tile, std::size_t r, std::size_t c) {
  const std::size_t tile_index = (r / tile.rows) * (cols / tile.cols) + c / tile.cols;
  return tile_index * tile.rows * tile.cols + (r % tile.rows) * tile.cols + c % tile.cols;
}

template <typename T>
std::vector<T> to_tiles(const std::vector<T>& row_major, std::size_t cols, TileSize tile) {
  std::vector<T> tiled(row_major.size());
  for (std::size_t i = 0; i < row_major.size(); ++i) {
    tiled[tiled_index(cols, tile, i / cols, i % cols)] = row_major[i];
  }
  return tiled;
}

template <typename T>
std::vector<T> from_tiles(const std::vector<T>& tiled, std::size_t cols, TileSize tile) {
  std::vector<T> row_major(tiled.size());
  for (std::size_t i = 0; i < tiled.size(); ++i) {
    row_major[i] = tiled[tiled_index(cols, tile, i / cols, i % cols)];
  }
  return row_major;
}

inline constexpr TileSize kLeft{4, 8}, kRight{8, 4}, kResult{4, 4};
inline constexpr TileSize kLeftInt8{4, 8}, kRightInt8{8, 8}, kResultInt8{4, 8};

inline std::vector<npu::bfloat16> to_bfloat16s(const std::vector<float>& values) {
  std::vector<npu::bfloat16> stored;
  for (const float value : values) stored.push_back(npu::to_bfloat16(value));
  return stored;
}

inline std::vector<npu::bfloat16> random_bf16(std::size_t n, std::uint64_t seed,
                                              double scale = 1.0) {
  return to_bfloat16s(random_vector(n, seed, scale));
}

inline std::vector<std::int8_t> random_int8(std::size_t n, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::int8_t> values(n);
  for (auto& v : values) v = static_cast<std::int8_t>(random.uniform() * 128.0);
  return values;
}

inline std::vector<float> to_floats(const std::vector<npu::bfloat16>& values) {
  std::vector<float> floats;
  for (const auto v : values) floats.push_back(npu::to_float(v));
  return floats;
}

// How far `y` is from `exact` beyond what rounding `exact` to nearest can explain: half a step at
// y.
inline double beyond_rounding(npu::bfloat16 y, double exact) {
  const double value = npu::to_float(y);
  const double half_step = value == 0.0 ? 0.0 : std::ldexp(1.0, std::ilogb(value) - 8);
  return std::abs(value - exact) - half_step;
}

}  // namespace wnpu::tests
