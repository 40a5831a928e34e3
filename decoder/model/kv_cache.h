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
// A position's key and value are written once, to a row in a page of their sequence. A table a
// sequence says in which rows its past lies, so that a beam that takes over another's past copies
// a table of integers and no key or value moves. Pages of closed sequences are free for others.
class KvCache {
 public:
  // n_sequences are open at once, number 0 and on: each has room for n_text_ctx positions.
  explicit KvCache(const models::Dims& dims, std::size_t n_sequences = 0,
                   models::Precision precision = models::Precision::fp32);

  // Opens n sequences without a past, first, first + 1, ...; returns first. They share rows among
  // themselves alone.
  std::size_t open(std::size_t n);
  void close(std::size_t first, std::size_t n);

  std::size_t length(std::size_t sequence) const { return sequences_[sequence].rows.size(); }
  // Rows that hold positions 0 .. length - 1 of `sequence`.
  std::span<const std::uint32_t> rows(std::size_t sequence) const {
    return sequences_[sequence].rows;
  }

  void clear(std::size_t sequence);
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
  struct Sequence {
    bool is_open = false;
    std::vector<std::uint32_t> rows;   // of positions 0, 1, ...
    std::vector<std::uint32_t> pages;  // its own, each kPageRows positions; kNoPage: not yet
  };
  // Pages, one behind the other: each has kPageRows rows of n_text_state for the keys of layer 0,
  // its values, the keys of layer 1, ... Left uninitialised: what is never used costs nothing.
  using Floats = std::unique_ptr<float[]>;
  using Halves = std::unique_ptr<std::uint16_t[]>;

  static constexpr std::size_t kPageRows = 16;
  static constexpr std::uint32_t kNoPage = 0xFFFFFFFF;

  // Rows in one page, of all layers' keys and values.
  std::size_t page_rows() const { return 2 * n_text_layer_ * kPageRows; }
  std::size_t pages_of_sequence() const { return (n_text_ctx_ + kPageRows - 1) / kPageRows; }
  void make_pages(std::size_t n_sequences);
  // f(rows of the past in the keys or values with number i, 2 layer + (0 or 1)).
  template <typename F>
  void with_rows(std::size_t i, const Past& past, const F& f) const;

  std::size_t n_text_ctx_;
  std::size_t n_text_layer_;
  std::size_t width_;
  std::size_t n_pages_ = 0;
  std::vector<Sequence> sequences_;
  std::vector<std::uint32_t> free_pages_;  // the last one is taken next
  std::variant<Floats, Halves> pages_;
};

// Sequences of a cache that are open as long as this is.
class OpenSequences {
 public:
  OpenSequences(KvCache& cache, std::size_t n) : cache_(cache), n_(n), first_(cache.open(n)) {}
  ~OpenSequences() { cache_.close(first_, n_); }
  OpenSequences(const OpenSequences&) = delete;

  KvCache& cache() const { return cache_; }
  std::size_t first() const { return first_; }

 private:
  KvCache& cache_;
  std::size_t n_;
  std::size_t first_;
};

}  // namespace wnpu::decoder
