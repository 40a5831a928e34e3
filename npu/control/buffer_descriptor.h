// A DMA's buffer descriptor, and the register words that hold it. Positions and widths of the
// fields: aie-rt driver/src/global/xaiemlgbl_params.h, DMA_BD0_*.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "npu/control/registers.h"

namespace wnpu::npu {

constexpr std::uint64_t kWordBytes = 4;  // streams and control programs are words

// One dimension of a descriptor, innermost first: `step` words between its elements, of which
// `wrap` are counted before the next dimension steps. 0: never, as in the last dimension that is in
// use.
struct DescriptorDimension {
  std::uint32_t wrap = 0;
  std::uint32_t step = 1;
  bool operator==(const DescriptorDimension&) const = default;
};

// A lock that a descriptor takes before it moves, or changes afterwards. `id` counts as the DMA
// sees it: in a mem tile 0 to 63 are the western neighbour's, 64 to 127 its own, 128 to 191 the
// eastern's. Taking a negative value waits for at least as much and takes it off; a positive one
// waits for exactly that value. Releasing adds.
struct LockChange {
  int id = 0;
  int value = 0;
  bool operator==(const LockChange&) const = default;
};

struct Packet {
  int type = 0;
  int id = 0;
  bool operator==(const Packet&) const = default;
};

// Words are of 4 bytes. A kind of tile that lacks a part refuses it when it is not as here.
struct BufferDescriptor {
  std::uint64_t length = 0;   // words
  std::uint64_t address = 0;  // words; in a mem tile its own memory begins at kOwnMemTileAddress
  // Mem tiles have 4, others 3; the last has no wrap.
  std::array<DescriptorDimension, 4> dimensions{{{0, 1}, {0, 1}, {0, 1}, {0, 1}}};
  std::array<std::uint32_t, 3> zeros_before{};  // mem tiles: padding of a dimension
  std::array<std::uint32_t, 3> zeros_after{};
  // Repetitions of a task with this descriptor step through `iterations` places in turn.
  std::uint32_t iterations = 1;
  std::uint32_t iteration_step = 1;  // words
  std::uint32_t iteration = 0;       // where it stands
  std::optional<LockChange> acquire;
  std::optional<LockChange> release;  // absent: 0
  std::optional<Packet> packet;       // of a packet-switched stream
  std::optional<int> next;            // descriptor that follows in the same task
  bool is_valid = true;
  bool suppresses_tlast = false;
  int burst = 0;  // shim: 0 to 3 for 64, 128, 256, 512 bytes (the last on XDNA2 alone)
  int cache = 0;  // shim: AxCACHE
  bool operator==(const BufferDescriptor&) const = default;
};

// A mem tile's DMA sees the western neighbour's memory, its own and the eastern one's, one after
// the other (aie-rt, AM020 ch. 5): words.
constexpr std::uint64_t kOwnMemTileAddress = 0x20000;
// First lock of a mem tile's own, in the same numbering: after its western neighbour's 64.
constexpr int kOwnMemTileLock = 64;

// The register words; throws ControlError naming the field, what it holds and what was found.
std::vector<std::uint32_t> encode_descriptor(TileKind kind, const BufferDescriptor& descriptor);
// Nothing where words are not of this kind's number or set bits that no field above holds.
std::optional<BufferDescriptor> decode_descriptor(TileKind kind,
                                                  std::span<const std::uint32_t> words);

}  // namespace wnpu::npu
