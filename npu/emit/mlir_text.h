// Pieces of MLIR that both the device and the sequence of a module are made of.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "npu/design/design.h"

namespace wnpu::npu::mlir {

std::string tile_value(TileId tile);                   // "%t_0_2": column, row of the array
std::string_view direction_name(Direction direction);  // "S2MM"
std::string memref(std::size_t elements, std::string_view element);  // "memref<8xi32>"
// Letters, digits and underscores alone.
std::string identifier(std::string_view text);
// A word as MLIR writes an i32.
std::string signed_word(std::uint32_t word);

}  // namespace wnpu::npu::mlir
