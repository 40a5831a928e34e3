// Limits of silicon and its tools, the same in every tile: one table, each number with its source.
// Limits of a tile's own DMA are in DmaLimits (values: target.cpp).
//
// Sources: AM020 = AMD AM020 (AIE-ML architecture); RT = aie-rt driver/src/global: PARAMS =
// xaiemlgbl_params.h (widths of registers), REGINIT = xaiemlgbl_reginit.c; MLIR = mlir-aie,
// AIETargetModel.h/.cpp and the verifiers of aie-opt (2026-08-05).
#pragma once

#include <cstdint>

namespace wnpu::npu {

constexpr double kStreamBytesPerCycle = 4;  // AM020 ch. 2: 32-bit streams, one word a cycle

// Limits of a DMA engine in one kind of tile.
struct DmaLimits {
  int s2mm_channels = 0;         // stream to memory
  int mm2s_channels = 0;         // memory to stream
  int far_channels = 0;          // of each direction, from 0: reach the neighbours' memory too
  int buffer_descriptors = 0;    // a tile
  int locks = 0;                 // a tile
  int dimensions = 0;            // of an access pattern, the contiguous run included
  std::uint64_t max_bytes = 0;   // of one descriptor
  std::uint64_t max_stride = 0;  // bytes; of a repetition (Access::step) as well
  std::uint32_t max_wrap = 0;    // count of a dimension where there is more than one
};

// Tasks that a channel holds besides the one that runs: REGINIT StartQSizeMax. (xdna-emu saw more
// on Phoenix, docs/superpowers/findings/2026-05-25-npu-controller-dispatch-overhead.md; the smaller
// holds.)
constexpr int kTaskQueueDepth = 4;
// A task runs its descriptors so often: PARAMS *_START_QUEUE_REPEAT_COUNT, 8 bits, less one.
constexpr std::uint32_t kMaxTaskRepeats = 256;
// Places that repetitions of a task step through: PARAMS *_ITERATION_WRAP, 6 bits, less one.
constexpr std::uint32_t kMaxIterations = 64;
// A lock that is left at more than this overflows: REGINIT LockValUpperBound. (Its lower bound is
// -64, which nothing here comes near: a lock is taken where it has what is taken.)
constexpr int kMaxLockValue = 63;
// PARAMS PACKET_ID, 5 bits; aie-opt: "packet id 32 exceeds the maximum of 31".
constexpr int kPacketIds = 32;
// A token has four bits for its packet's id (mlir-aie AIEGenerateColumnControlOverlay).
constexpr int kTokenPackets = 16;

// Streams that leave a tile's switch towards each side. MLIR AIE2TargetModel,
// getNumDestSwitchboxConnections; AM020 ch. 2, 3 and 5. Mem tiles have none to east and west.
struct StreamPorts {
  int north = 0;
  int south = 0;
  int east = 0;
  int west = 0;
};
constexpr StreamPorts kCorePorts{6, 4, 4, 4};
constexpr StreamPorts kMemPorts{6, 4, 0, 0};
constexpr StreamPorts kShimPorts{6, 6, 4, 4};

}  // namespace wnpu::npu
