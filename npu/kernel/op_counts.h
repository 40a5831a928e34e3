// Instructions of a core by class, as a tile kernel issues them: what a lower bound of its cycles
// is made from (npu/kernel/issue_limits.h). The counting target (target_counting.cpp) is the same
// kernel sources over the same host vectors with the counters switched on; how many instructions an
// operation of aie_api takes on AIE2 stands beside the operation in aie_*_host.h.
#pragma once

#include <cstdint>

namespace wnpu::npu::kernel {

struct OpCounts {
  std::uint64_t mac = 0;        // matrix or elementwise multiplication, addition in accumulators
  std::uint64_t alu = 0;        // vector add, compare, min, max, select, bitwise: 512 bits
  std::uint64_t shuffle = 0;    // permutation, broadcast, move between vector and accumulator
  std::uint64_t load = 0;       // 256 bits or less
  std::uint64_t store = 0;      // 256 bits or less
  std::uint64_t upshift = 0;    // vector to wider accumulator
  std::uint64_t downshift = 0;  // accumulator to narrower vector, rounded
  std::uint64_t scalar = 0;     // branches on masks, lanes moved to or from a scalar register
  // Loads and stores that a core would not do: off a multiple of their size, or of 32 bytes.
  std::uint64_t misaligned = 0;
};

struct TileKernels;
// The tile kernels that count what they do in op_counts(), a thread's own. No other result differs.
const TileKernels& counting_kernels();
OpCounts& op_counts();

}  // namespace wnpu::npu::kernel
