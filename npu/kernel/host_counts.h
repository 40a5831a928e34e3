// Counting of instructions in the host's aie_api. Nothing but in the counting target.
#pragma once

#include <cstddef>
#include <cstdint>

#include "npu/kernel/op_counts.h"

namespace aie {
inline namespace WNPU_TILE_TARGET {
namespace host {

using wnpu::npu::kernel::OpCounts;

[[gnu::always_inline]] inline void count([[maybe_unused]] std::uint64_t OpCounts::*what,
                                         [[maybe_unused]] unsigned n = 1) {
#ifdef WNPU_TILE_COUNTS
  wnpu::npu::kernel::op_counts().*what += n;
#endif
}

// A load or store of vectors at `address`.
template <typename T, unsigned N>
[[gnu::always_inline]] inline void count_access([[maybe_unused]] std::uint64_t OpCounts::*what,
                                                [[maybe_unused]] const void* address) {
#ifdef WNPU_TILE_COUNTS
  constexpr std::size_t kBytes = N * sizeof(T) < 32 ? N * sizeof(T) : 32;
  count(what, (N * sizeof(T) + 31) / 32);
  if (reinterpret_cast<std::uintptr_t>(address) % kBytes != 0) count(&OpCounts::misaligned);
#endif
}

// Registers of `bits` that N elements of T fill.
template <typename T, unsigned N>
constexpr unsigned registers(unsigned bits) {
  return (N * static_cast<unsigned>(sizeof(T)) * 8 + bits - 1) / bits;
}
template <typename T, unsigned N>
[[gnu::always_inline]] inline void count_alu() {
  count(&OpCounts::alu, registers<T, N>(512));
}
template <typename T, unsigned N>
[[gnu::always_inline]] inline void count_shuffle() {
  count(&OpCounts::shuffle, registers<T, N>(512));
}

}  // namespace host
}  // namespace WNPU_TILE_TARGET
}  // namespace aie
