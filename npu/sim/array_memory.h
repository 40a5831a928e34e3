// All memory that a simulated call sees: its arguments in DDR, the mem tiles and the cores' data
// memories. What nobody has written is NaN.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include "npu/sim/order/word_pattern.h"

namespace wnpu::npu {

// Into as many bytes. std::ranges::copy of GCC 12 copies what is const one by one.
inline void copy_bytes(std::span<const std::byte> from, std::span<std::byte> to) {
  assert(from.size() == to.size());
  std::copy(from.data(), from.data() + from.size(), to.data());
}

class ArrayMemory {
 public:
  // Byte of the poison: bf16, float and double made of it are NaN.
  static constexpr std::byte kPoison{0xff};

  ArrayMemory(const Target& target, std::span<const std::span<std::byte>> arguments);

  // A core's data memory, 64-byte aligned.
  std::span<std::byte> core(std::size_t index) { return cores_[index]; }
  // Memory indices, as in WordPattern::memory.
  static std::size_t argument(std::size_t index) { return index; }
  static std::size_t mem_tile(std::size_t n_arguments, int column) {
    return n_arguments + static_cast<std::size_t>(column);
  }
  // `bytes` of the pattern's stream from byte `position` on: where they lie if that is one run,
  // else in `scratch`.
  std::span<const std::byte> gather(const WordPattern& pattern, std::uint64_t position,
                                    std::size_t bytes, std::vector<std::byte>& scratch) const;
  void scatter(const WordPattern& pattern, std::uint64_t position,
               std::span<const std::byte> bytes);

 private:
  struct AlignedFree {
    void operator()(std::byte* p) const { ::operator delete[](p, std::align_val_t{64}); }
  };
  std::span<std::byte> allocate(std::size_t bytes);

  std::vector<std::unique_ptr<std::byte[], AlignedFree>> owned_;
  std::vector<std::span<std::byte>> memories_;  // arguments, mem tiles
  std::vector<std::span<std::byte>> cores_;
};

}  // namespace wnpu::npu
