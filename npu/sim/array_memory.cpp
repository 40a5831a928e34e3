#include "npu/sim/array_memory.h"

#include <algorithm>
#include <cstring>

namespace wnpu::npu {
namespace {

// Calls visit(address) for each contiguous run of the element, in stream order (dims[0] fastest).
template <typename Visit>
void for_each_run(const Access& access, std::uint32_t element, Visit visit) {
  std::array<Dimension, 3> dims{};
  std::ranges::copy(access.dims, dims.begin());
  const std::uint64_t first = access.address(element);
  const std::uint32_t outer = dims[1].count * dims[2].count;
  for (std::uint32_t i = 0; i < outer; ++i) {
    const std::int64_t offset =
        (i % dims[1].count) * dims[1].stride + (i / dims[1].count) * dims[2].stride;
    std::uint64_t address = first + static_cast<std::uint64_t>(offset);
    for (std::uint32_t i0 = 0; i0 < dims[0].count; ++i0) {
      visit(address);
      address += static_cast<std::uint64_t>(dims[0].stride);
    }
  }
}

}  // namespace

ArrayMemory::ArrayMemory(const Design& design, std::span<const std::span<std::byte>> arguments) {
  std::size_t argument = 0;
  for (const Memory& memory : design.memories) {
    memories_.push_back(memory.is_argument ? arguments[argument++].first(memory.bytes)
                                           : allocate(memory.bytes));
  }
  const int n_cores = design.target->columns * design.target->core_rows;
  for (int i = 0; i < n_cores; ++i) cores_.push_back(allocate(design.target->core_memory_bytes));
}

std::span<std::byte> ArrayMemory::allocate(std::size_t bytes) {
  owned_.emplace_back(new (std::align_val_t{64}) std::byte[bytes]);
  const std::span memory(owned_.back().get(), bytes);
  std::ranges::fill(memory, kPoison);
  return memory;
}

std::span<const std::byte> ArrayMemory::gather(const Access& access, std::uint32_t element,
                                               std::vector<std::byte>& scratch) const {
  const std::span<const std::byte> memory = memories_[access.memory];
  if (access.dims.empty()) return memory.subspan(access.address(element), access.run);
  scratch.resize(access.bytes());
  std::size_t position = 0;
  for_each_run(access, element, [&](std::uint64_t address) {
    std::memcpy(&scratch[position], &memory[address], access.run);
    position += access.run;
  });
  return scratch;
}

void ArrayMemory::scatter(const Access& access, std::uint32_t element,
                          std::span<const std::byte> bytes) {
  const std::span<std::byte> memory = memories_[access.memory];
  std::size_t position = 0;
  for_each_run(access, element, [&](std::uint64_t address) {
    std::memcpy(&memory[address], &bytes[position], access.run);
    position += access.run;
  });
}

}  // namespace wnpu::npu
