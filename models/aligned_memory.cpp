#include "models/aligned_memory.h"

#include <sys/mman.h>

namespace wnpu::models {

AlignedBlock allocate_block(std::size_t size) {
  constexpr std::size_t kVector = 64;
  constexpr std::size_t kHugePage = std::size_t{2} << 20U;
  const std::size_t unit = size < kHugePage ? kVector : kHugePage;
  const std::size_t whole = (size + unit - 1) / unit * unit;
  const std::align_val_t alignment{unit};
  void* const start = ::operator new[](whole, alignment);
  if (unit == kHugePage) madvise(start, whole, MADV_HUGEPAGE);  // a wish; may be refused
  return {start, alignment};
}

}  // namespace wnpu::models
