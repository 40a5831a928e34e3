// Memory for what SIMD code reads.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>

namespace wnpu::models {

struct AlignedBlock {
  void* start;
  std::size_t mapped;  // bytes; 0: a small one
};
// `size` bytes, aligned for every vector. From 2 MB on a mapping of its own: in huge pages where
// the system grants them (with 4 KB pages a third of a decoder step's time went into finding its
// weights), 0 until it is written, and given back to the system when it is freed, which malloc does
// not promise. Smaller ones are uninitialised. Throws std::bad_alloc.
AlignedBlock allocate_block(std::size_t size);
void free_block(const AlignedBlock& block) noexcept;

struct AlignedDelete {
  std::size_t mapped = 0;
  bool is_shared = false;  // a part of a SharedBlock, which frees it
  void operator()(void* p) const noexcept {
    if (!is_shared) free_block({p, mapped});
  }
};
template <typename T>
using AlignedArray = std::unique_ptr<T[], AlignedDelete>;

// `n` uninitialised elements in such a block.
template <typename T>
AlignedArray<T> allocate_aligned(std::size_t n) {
  const AlignedBlock block = allocate_block(n * sizeof(T));
  return {static_cast<T*>(block.start), {block.mapped}};
}

// `n` elements of zero bytes in such a block. Pages of a big one that are never written cost no
// memory.
template <typename T>
AlignedArray<T> allocate_zeros(std::size_t n) {
  const AlignedBlock block = allocate_block(n * sizeof(T));
  if (block.mapped == 0) std::memset(block.start, 0, n * sizeof(T));
  return {static_cast<T*>(block.start), {block.mapped}};
}

// One block for many arrays, each too small for huge pages.
class SharedBlock {
 public:
  SharedBlock() = default;
  explicit SharedBlock(std::size_t size) : data_(allocate_zeros<std::byte>(size)), left_(size) {}

  // Bytes that an array of `size` bytes takes of the block, padding included.
  static constexpr std::size_t share(std::size_t size) { return (size + 63) / 64 * 64; }
  // The next `size` bytes, all 0, aligned for every vector; not to outlive the block, which may be
  // moved. Throws std::bad_alloc where so many are not left.
  AlignedArray<std::byte> take(std::size_t size);

 private:
  AlignedArray<std::byte> data_;
  std::size_t taken_ = 0;
  std::size_t left_ = 0;
};

// `size` bytes: of the block, where there is one; else uninitialised.
inline AlignedArray<std::byte> allocate_in(SharedBlock* block, std::size_t size) {
  return block != nullptr ? block->take(size) : allocate_aligned<std::byte>(size);
}

}  // namespace wnpu::models
