// Keys and values of the decoder's self-attention, for several sequences at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "models/dims.h"
#include "models/tensor.h"

namespace wnpu::decoder {

// Position p of sequence s is written once, to row p * n_sequences + s of a layer's pool. A table a
// sequence says in which rows its past lies, so that a beam that takes over another's past copies
// a table of integers and no key or value moves.
class KvCache {
 public:
  KvCache(const models::Dims& dims, std::size_t n_sequences);

  std::size_t n_sequences() const { return tables_.size(); }
  std::size_t length(std::size_t sequence) const { return tables_[sequence].size(); }
  // Rows of the pool that hold positions 0 .. length - 1 of `sequence`.
  std::span<const std::uint32_t> rows(std::size_t sequence) const { return tables_[sequence]; }

  void clear(std::size_t sequence) { tables_[sequence].clear(); }
  // Adds a position and returns its row. Throws std::length_error beyond n_text_ctx positions.
  std::size_t append(std::size_t sequence);
  // Sequence first + i takes over the past of sequence first + parents[i], for every i at once.
  void fork(std::size_t first, std::span<const std::size_t> parents);

  // Pools: [n_text_ctx * n_sequences, n_text_state].
  models::MatrixView keys(std::size_t layer) { return pool(2 * layer); }
  models::MatrixView values(std::size_t layer) { return pool(2 * layer + 1); }

 private:
  models::MatrixView pool(std::size_t i) {
    return {pools_.get() + i * pool_rows_ * width_, pool_rows_, width_, width_};
  }

  std::size_t n_text_ctx_;
  std::size_t width_;
  std::size_t pool_rows_;
  std::vector<std::vector<std::uint32_t>> tables_;
  std::unique_ptr<float[]> pools_;  // left uninitialised: pages that are never used cost nothing
};

}  // namespace wnpu::decoder
