// Design of the program on the array: tiles, streams, memories, what each DMA channel moves and
// what each core does with it. check() says whether it fits, and a control program is made from it,
// which hardware and the simulator execute.
//
// Overlay and call. Channels, links, core memory and the resident program are the same for every
// call: they are the overlay. Regions, locks, transfers and phases are one call's: on hardware the
// instruction stream writes them, descriptors into registers of tiles and phases into the data
// memory of cores (core/phase_header.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "npu/core/core_memory.h"
#include "npu/core/phase_header.h"
#include "npu/design/target.h"

namespace wnpu::npu {

enum class TileKind { shim, mem, core };

struct TileId {
  TileKind kind = TileKind::core;
  int column = 0;
  int row = 0;  // 0 for shim and mem tiles; cores count from 0
  bool operator==(const TileId&) const = default;
};
std::string tile_name(TileId tile);  // "core(2,1)": column, row

enum class Direction { s2mm, mm2s };  // stream to memory, memory to stream

// One DMA channel of a tile, with the descriptors that it owns.
struct Channel {
  TileId tile;
  Direction direction = Direction::s2mm;
  int index = 0;
  int descriptors = 0;
};

constexpr int kCircuit = -1;

// A stream from one channel to one or more (broadcast). Links that share a channel are packet
// switched: the transfer at the head of a source decides which link moves next, and nothing but the
// order in which they are sent decides what a sink takes that two sources share.
struct Link {
  std::string name;
  std::size_t source = 0;          // into Overlay::channels
  std::vector<std::size_t> sinks;  // into Overlay::channels
  // Bytes of every element on a core's link, whose descriptors are written once; else the largest.
  std::size_t element_bytes = 0;
  int packet_id = kCircuit;
};

// How tokens of ended tasks get to the controller: packets from a tile's control port down its
// column to port 0 south of the shim, where the firmware takes them. A token that has no route
// never comes, and the controller waits for it for ever.
struct TokenRoute {
  TileId tile;
  int packet_id = 0;
};

// A buffer in a core's data memory.
struct CoreBuffer {
  std::string name;
  std::size_t offset = 0;
  std::size_t bytes = 0;  // one element
  int depth = 1;          // 2: double buffered
};

// Locks of a core's tile between a port's DMA channel and the program; both count elements.
struct PortLocks {
  int free = 0;  // begins with the port's depth
  int full = 0;  // begins with 0
};

// Every core's data memory, locks and program (core/core_memory.h). The first buffers are those of
// the ports A, B and C and that of the headers of phases.
struct CoreLayout {
  std::vector<CoreBuffer> buffers;
  std::array<PortLocks, kPorts> locks;
  int header_lock = 0;  // begins with 0; the controller sets it when a call's headers are there
  std::size_t stack_offset = 0;
  std::size_t stack_bytes = 0;
  std::size_t table_bytes = 0;    // constants of the kernels, placed by the linker
  std::size_t program_bytes = 0;  // declared: the resident program with all kernels
  std::string program_digest;     // of its sources: overlay.h
};

// Static configuration of the array, the same for every call.
struct Overlay {
  const Target* target = nullptr;
  std::vector<Channel> channels;
  std::vector<Link> links;
  std::vector<TokenRoute> token_routes;
  CoreLayout core;

  const TokenRoute* token_route(TileId tile) const;  // null where there is none
};

// Memory that transfers name: an argument of the call in DDR, or that of adjoining mem tiles
// (a mem tile's DMA reaches its own and its neighbours' memory and locks; AM020 ch. 5).
struct Memory {
  std::string name;
  bool is_argument = false;
  std::size_t bytes = 0;
  TileId first_tile;  // mem tiles only
  int n_tiles = 0;
  std::uint64_t padding_offset = 0;  // where padding is read from and written to
};

// A named piece of mem-tile memory. Two regions may share bytes if their lifetimes do not overlap;
// `eras` is a bit mask of the stages of a call in which the region is used.
struct Region {
  std::string name;
  std::size_t memory = 0;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  unsigned eras = 0;
};

struct Lock {
  TileId tile;
  std::string name;
  int initial = 0;
};

// Count and stride in bytes of one dimension of an access pattern.
struct Dimension {
  std::uint32_t count = 1;
  std::int64_t stride = 0;
};

// Addresses of an element's bytes: `run` contiguous bytes, repeated over dims (innermost first).
// With i = first + e, element e starts at offset + (i % wrap) * step + (i / wrap) * wrap_step; wrap
// 0 means that i never wraps. A ring of slots has wrap_step 0.
struct Access {
  std::size_t memory = 0;
  std::uint64_t offset = 0;
  std::uint32_t run = 0;
  std::vector<Dimension> dims = {};
  std::int64_t step = 0;
  std::uint32_t first = 0;
  std::uint32_t wrap = 0;
  std::int64_t wrap_step = 0;

  std::uint64_t bytes() const;                         // of one element
  std::uint64_t address(std::uint32_t element) const;  // of its first byte
};

// Sizes and strides in the types of these fields.
inline std::uint32_t u32(std::size_t value) { return static_cast<std::uint32_t>(value); }
inline std::int64_t i64(std::size_t value) { return static_cast<std::int64_t>(value); }

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

// Taking from or adding to a lock: once a transfer (before its first, or after its last element),
// or once an element.
enum class LockMode { once, each };
struct LockUse {
  std::size_t lock = kNone;
  int count = 1;
  LockMode mode = LockMode::once;
};

// One task of a channel in a shim or mem tile: `elements` elements through a link.
struct Transfer {
  std::size_t link = 0;
  std::uint32_t elements = 0;
  Access access = {};
  LockUse acquire = {};
  LockUse release = {};
  // The instruction stream waits until `wait_token` has counted `wait_count` elements before it
  // gives the task to a shim channel; `signal_token` counts the elements of this one.
  std::size_t wait_token = kNone;
  std::uint64_t wait_count = 0;
  std::size_t signal_token = kNone;
  // Bytes behind those of each element that mean nothing: read from or written to anywhere.
  std::uint32_t padding = 0;

  std::uint64_t stream_bytes() const { return access.bytes() + padding; }  // of an element
};

// Work of all cores in one phase, with its name.
struct Phase : PhaseHeader {
  std::string name;
};

struct Design : Overlay {
  std::string name;
  std::vector<Memory> memories;  // arguments first, in argument order
  std::vector<Region> regions;
  std::vector<Lock> locks;
  std::size_t n_tokens = 0;
  std::vector<std::vector<Transfer>> transfers;  // by channel, in order; none for core channels
  std::vector<Phase> phases;

  std::size_t n_arguments() const;
};

// Content hashes, FNV-1a over every field in a fixed order; equal on every machine.
std::uint64_t overlay_hash(const Overlay& overlay);  // the XCLBIN's ABI
std::uint64_t design_hash(const Design& design);  // overlay and call: the instruction stream's ABI
std::string hash_text(std::uint64_t hash);        // 16 hex digits

}  // namespace wnpu::npu
