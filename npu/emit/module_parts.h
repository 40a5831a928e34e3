// Parts of a module of MLIR-AIE: the array's static configuration, and a call's control program.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "npu/control/control_program.h"
#include "npu/design/design.h"

namespace wnpu::npu {

// The program that all cores load, beside the module: the name that the module has for it.
inline constexpr const char* kCoreElf = "resident.elf";

// Body of `aie.device`, without the sequences of calls: tiles, streams, and of the cores buffers,
// locks, DMA channels and program.
std::string device_text(const Design& design);

// A control program as a run-time sequence, in the operations that its lowering ends with: what
// aie-translate makes of them is encode() of the program, byte for byte.
struct SequenceText {
  std::string globals;   // contents of blocks, each once
  std::string sequence;  // aie.runtime_sequence @name
};

// `name` is an identifier, and begins the names of the globals. Throws ControlError for an address
// that a patch cannot hold.
SequenceText sequence_text(const std::string& name, const Design& design,
                           const ControlProgram& program);

// Pieces that both are made of.
namespace mlir {

std::string tile_value(TileId tile);                   // "%t_0_2": column, row of the array
std::string_view direction_name(Direction direction);  // "S2MM"
std::string memref(std::size_t elements, std::string_view element);  // "memref<8xi32>"
// Letters, digits and underscores alone.
std::string identifier(std::string_view text);
// A word as MLIR writes an i32.
std::string signed_word(std::uint32_t word);

}  // namespace mlir
}  // namespace wnpu::npu
