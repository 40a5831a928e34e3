#include "models/base/aligned_memory.h"

#include <cstdint>
#include <new>
#include <sys/mman.h>

namespace wnpu::models {
namespace {

constexpr std::size_t kVector = 64;
constexpr std::size_t kPage = 4096;
constexpr std::size_t kHugePage = std::size_t{2} << 20U;

std::size_t round_up(std::size_t size, std::size_t unit) { return (size + unit - 1) / unit * unit; }

}  // namespace

AlignedBlock allocate_block(std::size_t size) {
  if (size < kHugePage) {
    return {::operator new[](round_up(size, kVector), std::align_val_t{kVector}), 0};
  }
  // A huge page begins at a multiple of its size, which mmap does not know: one too many, and what
  // lies before and behind goes back.
  const std::size_t wanted = round_up(size, kPage);
  void* const found =
      mmap(nullptr, wanted + kHugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (found == MAP_FAILED) throw std::bad_alloc();
  auto* const bytes = static_cast<std::byte*>(found);
  const std::size_t before =
      round_up(reinterpret_cast<std::uintptr_t>(found), kHugePage) -  // NOLINT: an address
      reinterpret_cast<std::uintptr_t>(found);                        // NOLINT
  if (before > 0) munmap(bytes, before);
  munmap(bytes + before + wanted, kHugePage - before);
  madvise(bytes + before, wanted, MADV_HUGEPAGE);  // a wish; may be refused
  return {bytes + before, wanted};
}

void free_block(const AlignedBlock& block) noexcept {
  if (block.mapped > 0) {
    munmap(block.start, block.mapped);
  } else {
    ::operator delete[](block.start, std::align_val_t{kVector});
  }
}

AlignedArray<std::byte> SharedBlock::take(std::size_t size) {
  if (share(size) > left_) throw std::bad_alloc();
  std::byte* const at = data_.get() + taken_;
  taken_ += share(size);
  left_ -= share(size);
  return {at, {.is_shared = true}};
}

}  // namespace wnpu::models
