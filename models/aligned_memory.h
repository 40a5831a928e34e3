// Memory for what SIMD code reads.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace wnpu::models {

struct AlignedDelete {
  std::align_val_t alignment{};
  void operator()(void* p) const { ::operator delete[](p, alignment); }
};
template <typename T>
using AlignedArray = std::unique_ptr<T[], AlignedDelete>;

// `size` uninitialised bytes, aligned for every vector. From 2 MB on in huge pages where the system
// grants them: with 4 KB pages a third of a decoder step's time went into finding its weights.
// Throws std::bad_alloc.
struct AlignedBlock {
  void* start;
  std::align_val_t alignment;
};
AlignedBlock allocate_block(std::size_t size);

// `n` uninitialised elements in such a block.
template <typename T>
AlignedArray<T> allocate_aligned(std::size_t n) {
  const AlignedBlock block = allocate_block(n * sizeof(T));
  return {static_cast<T*>(block.start), {block.alignment}};
}

}  // namespace wnpu::models
