// Keys and values of the decoder's self-attention, for several sequences at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "models/base/dims.h"
#include "models/weights/precision.h"

namespace wnpu::decoder {

// In fp32, or in fp16 for integers, whose rounding is coarser: half of what a step reads of it.
//
// Position p of sequence s is written once, to row p * n_sequences + s of a layer's pool. A table a
// sequence says in which rows its past lies, so that a beam that takes over another's past copies
// a table of integers and no key or value moves.
class KvCache {
 public:
  // Room for n_sequences of n_text_ctx positions each.
  KvCache(const models::Dims& dims, std::size_t n_sequences,
          models::Precision precision = models::Precision::fp32);

  std::size_t n_sequences() const { return tables_.size(); }
  std::size_t length(std::size_t sequence) const { return tables_[sequence].size(); }
  // Rows of the pool that hold positions 0 .. length - 1 of `sequence`.
  std::span<const std::uint32_t> rows(std::size_t sequence) const { return tables_[sequence]; }

  void clear(std::size_t sequence) { tables_[sequence].clear(); }
  // Adds a position and returns its row. Throws std::length_error beyond n_text_ctx positions.
  std::size_t append(std::size_t sequence);
  // Sequence first + i takes over the past of sequence first + parents[i], for every i at once.
  void fork(std::size_t first, std::span<const std::size_t> parents);

  // Key and value of a row: [n_text_state].
  void set(std::size_t layer, std::size_t row, std::span<const float> key,
           std::span<const float> value);

  // Past of one head in a layer: its columns of the keys and values, and the rows it attends to.
  struct Past {
    std::size_t layer;
    std::size_t first_col;
    std::size_t cols;
    std::span<const std::uint32_t> rows;
  };
  // scores[i] = query . key i, for each of past.rows. query [past.cols].
  void score(const Past& past, std::span<const float> query, std::span<float> scores) const;
  // out = sum of weights[i] * value i, over past.rows. out [past.cols].
  void add_up(const Past& past, std::span<const float> weights, std::span<float> out) const;

 private:
  // Pools of keys and of values, layer by layer: [n_text_ctx * n_sequences, n_text_state]. Left
  // uninitialised: pages that are never used cost nothing.
  using Floats = std::unique_ptr<float[]>;
  using Halves = std::unique_ptr<std::uint16_t[]>;

  std::size_t pool(std::size_t i) const { return i * pool_rows_ * width_; }
  // f(the past's rows in pool i).
  template <typename F>
  void with_rows(std::size_t i, const Past& past, const F& f) const;

  std::size_t n_text_ctx_;
  std::size_t width_;
  std::size_t pool_rows_;
  std::vector<std::vector<std::uint32_t>> tables_;
  std::variant<Floats, Halves> pools_;
};

}  // namespace wnpu::decoder
