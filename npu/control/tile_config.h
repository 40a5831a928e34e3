// Static configuration of a core's tile, set once for every call: buffer addresses, locks, and the
// descriptors of its DMA channels, which repeat for ever. (A mem tile's locks and descriptors, and
// a shim's, are the calls': call_start.h, channel_tasks.h.)
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "npu/design/design.h"

namespace wnpu::npu {

// One element of a buffer.
struct TileBuffer {
  std::string name;  // "A0"; no blanks
  std::size_t address = 0;
  std::size_t bytes = 0;
  std::size_t bank = 0;  // of its first byte (kBankBytes)
};

struct TileLock {
  std::string name;  // "A_free"
  int id = 0;
  int initial = 0;
};

// A descriptor of a channel that repeats for ever: which buffer it moves, whole, and which lock it
// takes one off before and adds one to afterwards.
struct RingDescriptor {
  int id = 0;              // of the tile
  std::size_t buffer = 0;  // into TileConfig::buffers
  int acquire = 0;         // id of a lock
  int release = 0;
};

// A channel's descriptors, in the order in which they take turns.
struct ChannelRing {
  Direction direction = Direction::s2mm;
  int channel = 0;
  std::vector<RingDescriptor> descriptors;
};

struct TileConfig {
  TileId tile;
  std::vector<TileBuffer> buffers;  // by address
  std::vector<TileLock> locks;      // by id
  std::vector<ChannelRing> rings;   // as the overlay's channels
};

// Tile configurations of all cores, row by row.
std::vector<TileConfig> core_configs(const Overlay& overlay);

}  // namespace wnpu::npu
