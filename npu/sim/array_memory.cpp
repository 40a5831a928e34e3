#include "npu/sim/array_memory.h"

#include <cstring>

namespace wnpu::npu {

ArrayMemory::ArrayMemory(const Target& target, std::span<const std::span<std::byte>> arguments)
    : memories_(arguments.begin(), arguments.end()) {
  for (int i = 0; i < target.all_columns(); ++i)
    memories_.push_back(allocate(target.mem_tile_bytes));
  const int n_cores = target.columns * target.core_rows;
  for (int i = 0; i < n_cores; ++i) cores_.push_back(allocate(target.core_memory_bytes));
}

std::span<std::byte> ArrayMemory::allocate(std::size_t bytes) {
  owned_.emplace_back(new (std::align_val_t{64}) std::byte[bytes]);
  const std::span memory(owned_.back().get(), bytes);
  std::ranges::fill(memory, kPoison);
  return memory;
}

std::span<const std::byte> ArrayMemory::gather(const WordPattern& pattern, std::uint64_t position,
                                               std::size_t bytes,
                                               std::vector<std::byte>& scratch) const {
  const std::span<const std::byte> memory = memories_[pattern.memory];
  WordRuns runs(pattern, position / kWordBytes);
  WordRun run = runs.next(bytes / kWordBytes);
  const std::size_t first = run.words * kWordBytes;
  if (first == bytes) return memory.subspan(run.first * kWordBytes, bytes);
  scratch.resize(bytes);
  for (std::size_t done = 0;;) {
    std::memcpy(&scratch[done], &memory[run.first * kWordBytes], run.words * kWordBytes);
    done += run.words * kWordBytes;
    if (done == bytes) return scratch;
    run = runs.next((bytes - done) / kWordBytes);
  }
}

void ArrayMemory::scatter(const WordPattern& pattern, std::uint64_t position,
                          std::span<const std::byte> bytes) {
  const std::span<std::byte> memory = memories_[pattern.memory];
  WordRuns runs(pattern, position / kWordBytes);
  for (std::size_t done = 0; done < bytes.size();) {
    const WordRun run = runs.next((bytes.size() - done) / kWordBytes);
    std::memcpy(&memory[run.first * kWordBytes], &bytes[done], run.words * kWordBytes);
    done += run.words * kWordBytes;
  }
}

}  // namespace wnpu::npu
