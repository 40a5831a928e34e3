#include "npu/control/registers.h"

#include <array>

namespace wnpu::npu {
namespace {

constexpr unsigned kColumnShift = 25;
constexpr unsigned kRowShift = 20;
constexpr std::uint32_t kRowMask = (1u << (kColumnShift - kRowShift)) - 1;
constexpr std::uint32_t kOffsetMask = (1u << kRowShift) - 1;
constexpr int kFirstCoreRow = 2;

constexpr std::uint32_t kDescriptorStride = 0x20;
constexpr std::uint32_t kChannelStride = 8;  // control, task queue
constexpr std::uint32_t kQueueOffset = 4;
constexpr std::uint32_t kLockStride = 0x10;

// XAIEMLGBL_MEMORY_MODULE_DATAMEMORY; its size: xaiemlgbl_reginit.c, DataMemSize.
constexpr std::uint32_t kCoreData = 0;
constexpr std::uint32_t kCoreDataBytes = 64 * 1024;

constexpr DmaRegisters kShimRegisters{0x1D000, 16, 8, 0x1D200, 0x1D210, 2, 0x14000, 16};
constexpr DmaRegisters kMemRegisters{0xA0000, 48, 8, 0xA0600, 0xA0630, 6, 0xC0000, 64};
constexpr DmaRegisters kCoreRegisters{0x1D000, 16, 6, 0x1DE00, 0x1DE10, 2, 0x1F000, 16};

// `name`: gives what the value is called, where that has to be said.
template <typename Name>
int in_range(const Name& name, int value, int count) {
  if (value >= 0 && value < count) return value;
  throw ControlError(name() + ": expected 0 to " + std::to_string(count - 1) + ", found " +
                     std::to_string(value));
}

TileId tile_at(RegisterAddress address) {
  const auto row = static_cast<int>((address >> kRowShift) & kRowMask);
  const auto column = static_cast<int>(address >> kColumnShift);
  if (row == 0) return {TileKind::shim, column, 0};
  if (row == 1) return {TileKind::mem, column, 0};
  return {TileKind::core, column, row - kFirstCoreRow};
}

// Index of a register in a row of `count` at `first`, `stride` bytes apart.
std::optional<int> register_index(RegisterAddress address, std::uint32_t first,
                                  std::uint32_t stride, int count) {
  const std::uint32_t offset = address & kOffsetMask;
  if (offset < first || (offset - first) % stride != 0) return std::nullopt;
  const std::uint32_t index = (offset - first) / stride;
  if (index >= static_cast<std::uint32_t>(count)) return std::nullopt;
  return static_cast<int>(index);
}

std::uint32_t times(std::uint32_t stride, int index) {
  return stride * static_cast<std::uint32_t>(index);
}

}  // namespace

const DmaRegisters& dma_registers(TileKind kind) {
  constexpr std::array kRegisters{&kShimRegisters, &kMemRegisters, &kCoreRegisters};
  return *kRegisters[static_cast<std::size_t>(kind)];
}

std::string port_name(const DmaPort& port) {
  return tile_name(port.tile) + (port.direction == Direction::s2mm ? " s2mm " : " mm2s ") +
         std::to_string(port.channel);
}

int array_row(TileId tile) {
  if (tile.kind == TileKind::core) return kFirstCoreRow + tile.row;
  return tile.kind == TileKind::mem ? 1 : 0;
}

RegisterAddress tile_base(TileId tile) {
  const int columns = 1 << (32 - kColumnShift);
  const int rows = 1 << (kColumnShift - kRowShift);
  const int column = in_range([&] { return tile_name(tile) + ": column"; }, tile.column, columns);
  const int row =
      in_range([&] { return tile_name(tile) + ": row of the array"; }, array_row(tile), rows);
  return times(1u << kColumnShift, column) | times(1u << kRowShift, row);
}

RegisterAddress descriptor_address(TileId tile, int descriptor) {
  const DmaRegisters& dma = dma_registers(tile.kind);
  in_range([&] { return tile_name(tile) + ": descriptor"; }, descriptor, dma.n_descriptors);
  return tile_base(tile) + dma.descriptors + times(kDescriptorStride, descriptor);
}

RegisterAddress control_address(const DmaPort& port) {
  const DmaRegisters& dma = dma_registers(port.tile.kind);
  in_range([&] { return port_name(port) + ": channel"; }, port.channel, dma.n_channels);
  return tile_base(port.tile) + (port.direction == Direction::s2mm ? dma.s2mm : dma.mm2s) +
         times(kChannelStride, port.channel);
}

RegisterAddress queue_address(const DmaPort& port) { return control_address(port) + kQueueOffset; }

RegisterAddress lock_address(TileId tile, int lock) {
  const DmaRegisters& dma = dma_registers(tile.kind);
  in_range([&] { return tile_name(tile) + ": lock"; }, lock, dma.n_locks);
  return tile_base(tile) + dma.locks + times(kLockStride, lock);
}

RegisterAddress data_address(TileId core, std::size_t offset) {
  const bool is_word = offset < kCoreDataBytes && offset % sizeof(std::uint32_t) == 0;
  if (core.kind == TileKind::core && is_word) {
    return tile_base(core) + kCoreData + static_cast<std::uint32_t>(offset);
  }
  throw ControlError(tile_name(core) + ": expected a word of a core's " +
                     std::to_string(kCoreDataBytes) + " bytes of data memory, found byte " +
                     std::to_string(offset));
}

RegisterAddress ddr_address_register(TileId shim, int descriptor) {
  if (shim.kind != TileKind::shim) {
    throw ControlError(tile_name(shim) + ": expected a shim tile for an address in DDR");
  }
  return descriptor_address(shim, descriptor) + sizeof(std::uint32_t);
}

std::optional<DescriptorPlace> descriptor_at(RegisterAddress address) {
  const TileId tile = tile_at(address);
  const DmaRegisters& dma = dma_registers(tile.kind);
  const auto index = register_index(address, dma.descriptors, kDescriptorStride, dma.n_descriptors);
  if (!index) return std::nullopt;
  return DescriptorPlace{tile, *index};
}

std::optional<ChannelPlace> channel_at(RegisterAddress address) {
  const TileId tile = tile_at(address);
  const DmaRegisters& dma = dma_registers(tile.kind);
  for (const Direction direction : {Direction::s2mm, Direction::mm2s}) {
    const std::uint32_t first = direction == Direction::s2mm ? dma.s2mm : dma.mm2s;
    const auto index = register_index(address, first, kQueueOffset, 2 * dma.n_channels);
    if (index) return ChannelPlace{{tile, direction, *index / 2}, *index % 2 == 1};
  }
  return std::nullopt;
}

std::optional<DataPlace> data_at(RegisterAddress address) {
  const TileId tile = tile_at(address);
  const std::uint32_t offset = (address & kOffsetMask) - kCoreData;
  if (tile.kind != TileKind::core || offset >= kCoreDataBytes) return std::nullopt;
  return DataPlace{tile, offset};
}

std::optional<LockPlace> lock_at(RegisterAddress address) {
  const TileId tile = tile_at(address);
  const DmaRegisters& dma = dma_registers(tile.kind);
  const auto index = register_index(address, dma.locks, kLockStride, dma.n_locks);
  if (!index) return std::nullopt;
  return LockPlace{tile, *index};
}

}  // namespace wnpu::npu
