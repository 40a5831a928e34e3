// Numbers of the transaction format and of the registers behind its typed operations.
#pragma once

#include <cstdint>

namespace wnpu::npu {

// Operation codes: mlir-aie lib/Targets/AIETargetNPU.cpp, TXN_OPC_*.
enum class OperationCode : std::uint32_t {
  write = 0,
  block_write = 1,
  masked_write = 3,
  token_sync = 0x80,
  ddr_patch = 0x81,
};

constexpr std::uint32_t kFormatMajor = 0;
constexpr std::uint32_t kFormatMinor = 1;

// Sizes in words. The two writes are whole as they stand, a block has its words behind its head.
constexpr std::uint32_t kHeaderWords = 4;
constexpr std::uint32_t kWriteWords = 6;
constexpr std::uint32_t kMaskedWords = 7;
constexpr std::uint32_t kBlockHeadWords = 4;
constexpr std::uint32_t kSyncWords = 4;
constexpr std::uint32_t kPatchWords = 12;

// Task queue: descriptor below, repeats less one, token (xaiemlgbl_params.h, *_START_QUEUE_*).
constexpr std::uint32_t kQueueRepeatLow = 16;
constexpr std::uint32_t kQueueToken = 1u << 31;
// Channel control: the packet id of the channel's tokens ("controller id"). mlir-aie writes these
// five of its eight bits (AIEX DMA-task lowering).
constexpr std::uint32_t kControllerLow = 8;
constexpr std::uint32_t kControllerMask = 0x1F00;

}  // namespace wnpu::npu
