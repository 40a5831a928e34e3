#include "npu/emit/mlir_text.h"

#include <algorithm>

#include "npu/control/registers.h"

namespace wnpu::npu::mlir {

std::string tile_value(TileId tile) {
  return "%t_" + std::to_string(tile.column) + "_" + std::to_string(array_row(tile));
}

std::string_view direction_name(Direction direction) {
  return direction == Direction::s2mm ? "S2MM" : "MM2S";
}

std::string memref(std::size_t elements, std::string_view element) {
  return "memref<" + std::to_string(elements) + "x" + std::string(element) + ">";
}

std::string identifier(std::string_view text) {
  std::string result(text);
  std::ranges::replace_if(
      result,
      [](char c) {
        const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        return !is_letter && !(c >= '0' && c <= '9');
      },
      '_');
  return result;
}

std::string signed_word(std::uint32_t word) {
  return std::to_string(static_cast<std::int32_t>(word));
}

}  // namespace wnpu::npu::mlir
