// Memory for what SIMD code reads.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>

namespace wnpu::models {

struct AlignedFree {
  void operator()(void* p) const { std::free(p); }
};
template <typename T>
using AlignedArray = std::unique_ptr<T[], AlignedFree>;

// `bytes` of uninitialised memory, aligned for every vector. From 2 MB on in huge pages where the
// system grants them: with 4 KB pages a third of a decoder step's time went into finding its
// weights. Throws std::bad_alloc.
void* allocate_aligned(std::size_t bytes);

}  // namespace wnpu::models
