// write_scratch, read_scratch: the parts of the scratch argument in the array's operand layouts.
#include <cstring>
#include <stdexcept>

#include "npu/design/layer_abi.h"
#include "npu/kernel/bf16.h"

namespace wnpu::npu {
namespace {

constexpr std::size_t kTileElements = std::size_t{64} * 64;

// Left operand of 64 columns: 4x8 blocks, a row of them after the other.
std::size_t left_index(std::size_t row, std::size_t column) {
  return (row / 4 * 8 + column / 8) * 32 + row % 4 * 8 + column % 8;
}

// Right operand of 64 columns: 8x4 blocks.
std::size_t right_index(std::size_t row, std::size_t column) {
  return (row / 8 * 16 + column / 4) * 32 + row % 8 * 4 + column % 4;
}

// Tiles of 64x64, a panel of 64 rows after the other.
std::size_t panel_index(std::size_t tiles, std::size_t row, std::size_t column) {
  return (row / 64 * tiles + column / 64) * kTileElements + left_index(row % 64, column % 64);
}

// Element of a part, counted in bf16 from the part's offset.
struct Position {
  std::size_t offset = 0;  // bytes
  std::size_t index = 0;
};

Position position(const LayerGeometry& g, ScratchPart part, std::size_t row, std::size_t column) {
  const std::size_t head = column / kHeadWidth;
  const std::size_t inner = column % kHeadWidth;
  const std::size_t in_head = head * g.rows * kHeadWidth + left_index(row, inner);
  const std::size_t block = (head * g.key_blocks + row / kKeys) * 2 * kKeys * kHeadWidth;
  switch (part) {
    case ScratchPart::normed:
      return {g.normed_offset, panel_index(g.shape.width / 64, row, column)};
    case ScratchPart::query:
      return {g.query_offset, in_head};
    case ScratchPart::attention:
      return {g.attention_offset, in_head};
    case ScratchPart::key:
      return {g.key_value_offset, block + left_index(row % kKeys, inner)};
    case ScratchPart::value:
      return {g.key_value_offset, block + kKeys * kHeadWidth + right_index(row % kKeys, inner)};
    case ScratchPart::hidden:
      break;
  }
  const std::size_t tiles = g.gemm(Gemm::up).blocks * static_cast<std::size_t>(g.target->columns);
  return {g.hidden_offset, panel_index(tiles, row, column)};
}

std::size_t part_columns(const LayerGeometry& g, ScratchPart part) {
  if (part == ScratchPart::normed && g.precision == Precision::int8) {
    throw std::invalid_argument("scratch: normed rows are int8 in this geometry, expected bf16");
  }
  if (part == ScratchPart::normed) return g.shape.width;
  return part == ScratchPart::hidden ? g.shape.hidden : g.shape.attended();
}

}  // namespace

void write_scratch(const LayerGeometry& g, ScratchPart part, std::span<const float> rows,
                   std::size_t stride, std::span<std::byte> scratch) {
  const std::size_t columns = part_columns(g, part);
  for (std::size_t row = 0; row < g.rows; ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      const bfloat16 value = to_bfloat16(row < g.shape.frames ? rows[row * stride + column] : 0.0f);
      const Position p = position(g, part, row, column);
      std::memcpy(&scratch[p.offset + p.index * sizeof(value)], &value, sizeof(value));
    }
  }
}

void read_scratch(const LayerGeometry& g, ScratchPart part, std::span<const std::byte> scratch,
                  std::span<float> rows, std::size_t stride) {
  const std::size_t columns = part_columns(g, part);
  for (std::size_t row = 0; row < g.shape.frames; ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      const Position p = position(g, part, row, column);
      bfloat16 value;
      std::memcpy(&value, &scratch[p.offset + p.index * sizeof(value)], sizeof(value));
      rows[row * stride + column] = to_float(value);
    }
  }
}

}  // namespace wnpu::npu
