// Memory map of a core's 64 KB of data memory, and the lock that guards each buffer. The resident
// program is compiled with these numbers, and the array's static configuration (core_layout) is
// made of them.
#pragma once

#include <cstddef>

namespace wnpu::npu {

// Address at which a core sees its own data memory (mlir-aie AIETargetModel.cpp, AIE2TargetModel::
// getMemInternalBaseAddress, which is getMemEastBaseAddress); offsets below count from there.
constexpr std::size_t kOwnMemory = 0x70000;

constexpr std::size_t kElementBytes = 8192;   // of the ports A, B and C
constexpr std::size_t kParameterFloats = 64;  // bias; column scales follow
constexpr std::size_t kParameterBytes =
    2 * kParameterFloats * sizeof(float);  // at the front of the element before the weights
constexpr std::size_t kMaxTileRows = 64;

// The headers of a call's phases: a word, then four for each phase (phase_header.h).
constexpr std::size_t kMaxPhases = 64;
constexpr std::size_t kHeaderBytes = 16;
constexpr std::size_t kHeadersBytes = 4 + kMaxPhases * kHeaderBytes;

// Four banks (mlir-aie AIETargetModel::getNumBanks); two accesses to one bank in a cycle wait for
// each other. A product reads A and B and has its sums in the accumulators: a bank for each.
constexpr std::size_t kBankBytes = 16384;

// Bank 0. The stack grows upwards from the first byte, as mlir-aie's linker script has it.
constexpr std::size_t kStack = 0;
// Peano's default stack of 1024 bytes is small for kernels that spill vector registers; the kernels
// have no array on it.
constexpr std::size_t kStackBytes = 4096;
constexpr std::size_t kPortC = kStack + kStackBytes;  // 1 element
constexpr std::size_t kParameters = kPortC + kElementBytes;
constexpr std::size_t kRowScales = kParameters + kParameterBytes;
constexpr std::size_t kHeaders = kRowScales + kMaxTileRows * sizeof(float);
constexpr std::size_t kConstants = kHeaders + (kHeadersBytes + 31) / 32 * 32;  // the linker's
// Banks 1 to 3.
constexpr std::size_t kPortA = kBankBytes;                         // 2 elements
constexpr std::size_t kPortB = kPortA + 2 * kElementBytes;         // 2 elements
constexpr std::size_t kAccumulators = kPortB + 2 * kElementBytes;  // 64 x 64 float or int32
constexpr std::size_t kAccumulatorBytes = kMaxTileRows * 64 * sizeof(float);
static_assert(kConstants <= kPortA);

// Attention's sums leave a quarter of the accumulators free: its statistics and the weights of the
// strip of queries at hand lie there (AttentionSums).
constexpr std::size_t kMaxQueries = 48;
constexpr std::size_t kStatisticsBytes = kMaxQueries * 4 * sizeof(float);
constexpr std::size_t kAttentionReference = kAccumulators + kMaxQueries * 64 * sizeof(float);
constexpr std::size_t kAttentionSum = kAttentionReference + kStatisticsBytes;
constexpr std::size_t kAttentionWeights = kAttentionSum + kStatisticsBytes;
constexpr std::size_t kAttentionEnd = kAttentionWeights + 1024;  // 8 queries, 64 keys, bf16
static_assert(kAttentionEnd <= kAccumulators + kAccumulatorBytes);

// A and B come in (row and column broadcast), C goes out.
enum class Port { a, b, c };
constexpr std::size_t kPorts = 3;

// Locks of the core's tile (aie-rt xaiemlgbl_reginit.c: 16). Between a port's DMA channel and the
// program one counts elements that may be filled and begins with all of the port's, the other those
// that are full and starts at 0. The producer acquires `free` and releases `full`; the consumer
// does the opposite.
constexpr std::size_t kCoreLocks = 16;
constexpr int free_lock(Port port) { return 2 * static_cast<int>(port); }
constexpr int full_lock(Port port) { return free_lock(port) + 1; }
// Begins with 0; the controller sets it to 1 when all headers of a call are there, and the program
// takes that when it has done the call before.
constexpr int kHeaderLock = 2 * static_cast<int>(kPorts);

}  // namespace wnpu::npu
