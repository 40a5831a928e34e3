#include "models/aligned_memory.h"

#include <new>
#include <sys/mman.h>

namespace wnpu::models {

void* allocate_aligned(std::size_t bytes) {
  constexpr std::size_t kVector = 64;
  constexpr std::size_t kHugePage = std::size_t{2} << 20U;
  const std::size_t alignment = bytes < kHugePage ? kVector : kHugePage;
  const std::size_t whole = (bytes + alignment - 1) / alignment * alignment;
  void* const memory = std::aligned_alloc(alignment, whole);
  if (memory == nullptr && whole > 0) throw std::bad_alloc();
  if (alignment == kHugePage) madvise(memory, whole, MADV_HUGEPAGE);  // a wish; may be refused
  return memory;
}

}  // namespace wnpu::models
