// Addresses of the registers that a control program writes. Offsets in a tile: aie-rt
// driver/src/global/xaiemlgbl_params.h (XAIEMLGBL_{NOC,MEM_TILE,MEMORY}_MODULE_*), the same on
// XDNA1 and XDNA2. A tile's base: column << 25 | row << 20 (mlir-aie AIETargetModel, getColumnShift
// and getRowShift), where row 0 is the shim's, 1 the mem tile's and 2 the first core's.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

#include "npu/design/design.h"

namespace wnpu::npu {

// A control program that cannot be written or read. what() names what was expected and found.
struct ControlError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

using RegisterAddress = std::uint32_t;

// The DMA of one kind of tile.
struct DmaRegisters {
  std::uint32_t descriptors = 0;  // the first; one follows the other by kDescriptorStride
  int n_descriptors = 0;
  int descriptor_words = 0;
  std::uint32_t s2mm = 0;  // control of channel 0; its task queue follows, then channel 1
  std::uint32_t mm2s = 0;
  int n_channels = 0;  // of each direction
  std::uint32_t locks = 0;
  int n_locks = 0;
};
const DmaRegisters& dma_registers(TileKind kind);

// One channel of one tile.
struct DmaPort {
  TileId tile;
  Direction direction = Direction::s2mm;
  int channel = 0;
  bool operator==(const DmaPort&) const = default;
};
inline DmaPort port_of(const Channel& c) { return {c.tile, c.direction, c.index}; }
std::string port_name(const DmaPort& port);  // "shim(0,0) mm2s 1"

// A tile's row as addresses and tokens count it, and its base address.
int array_row(TileId tile);
RegisterAddress tile_base(TileId tile);

// Addresses of registers. Throw ControlError where the tile has no such descriptor, channel or
// lock.
RegisterAddress descriptor_address(TileId tile, int descriptor);
RegisterAddress control_address(const DmaPort& port);
RegisterAddress queue_address(const DmaPort& port);
RegisterAddress lock_address(TileId tile, int lock);
// A byte of a core's data memory; throws where it is no whole word of it.
RegisterAddress data_address(TileId core, std::size_t offset);
// The words of a shim's descriptor that hold an address in DDR begin here.
RegisterAddress ddr_address_register(TileId shim, int descriptor);

// Descriptors, channels and locks, as found at a register address.
struct DescriptorPlace {
  TileId tile;
  int descriptor = 0;
};
struct ChannelPlace {
  DmaPort port;
  bool is_queue = false;  // else its control
};
struct LockPlace {
  TileId tile;
  int lock = 0;
};
struct DataPlace {
  TileId core;
  std::size_t offset = 0;
};
std::optional<DescriptorPlace> descriptor_at(RegisterAddress address);
std::optional<ChannelPlace> channel_at(RegisterAddress address);
std::optional<LockPlace> lock_at(RegisterAddress address);
std::optional<DataPlace> data_at(RegisterAddress address);

}  // namespace wnpu::npu
