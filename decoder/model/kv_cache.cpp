#include "decoder/model/kv_cache.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <numeric>
#include <stdexcept>
#include <string>

#include "models/base/tensor.h"
#include "models/kernels/vectors/gathered_rows.h"
#include "models/kernels/vectors/half_floats.h"

namespace wnpu::decoder {

KvCache::KvCache(const models::Dims& dims, std::size_t n_sequences, models::Precision precision)
    : n_text_ctx_(dims.n_text_ctx), n_text_layer_(dims.n_text_layer), width_(dims.n_text_state) {
  if (precision != models::Precision::fp32) pages_ = Halves();
  open(n_sequences);
}

std::size_t KvCache::open(std::size_t n) {
  const auto is_as = [](const Sequence& each, bool is_open) { return each.is_open == is_open; };
  const auto gap = std::search_n(sequences_.begin(), sequences_.end(), n, false, is_as);
  const auto first = static_cast<std::size_t>(gap - sequences_.begin());
  if (sequences_.size() < first + n) sequences_.resize(first + n);
  make_pages(sequences_.size());
  for (std::size_t i = first; i < first + n; ++i) sequences_[i].is_open = true;
  return first;
}

void KvCache::close(std::size_t first, std::size_t n) {
  for (std::size_t i = first; i < first + n; ++i) {
    clear(i);
    sequences_[i].is_open = false;
  }
}

void KvCache::clear(std::size_t sequence) {
  Sequence& cleared = sequences_.at(sequence);
  std::ranges::copy_if(cleared.pages, std::back_inserter(free_pages_),
                       [](std::uint32_t page) { return page != kNoPage; });
  cleared.pages.clear();
  cleared.rows.clear();
}

namespace {

template <typename T>
std::unique_ptr<T[]> grown(const std::unique_ptr<T[]>& old, std::size_t used, std::size_t size) {
  auto all = std::make_unique_for_overwrite<T[]>(size);
  std::copy_n(old.get(), used, all.get());
  return all;
}

}  // namespace

// Room for n_sequences of the greatest length, so that append() never has to make any. Pages above
// all that are in use have nothing to be copied.
void KvCache::make_pages(std::size_t n_sequences) {
  const std::size_t n = n_sequences * pages_of_sequence();
  if (n <= n_pages_) return;
  std::size_t n_used = 0;
  for (const Sequence& each : sequences_) {
    for (const std::uint32_t page : each.pages)
      if (page != kNoPage) n_used = std::max(n_used, std::size_t{page} + 1);
  }
  const std::size_t size = page_rows() * width_;
  std::visit([&](auto& all) { all = grown(all, n_used * size, n * size); }, pages_);
  std::vector<std::uint32_t> added(n - n_pages_);
  std::iota(added.rbegin(), added.rend(), static_cast<std::uint32_t>(n_pages_));
  free_pages_.insert(free_pages_.begin(), added.begin(), added.end());
  n_pages_ = n;
}

std::size_t KvCache::append(std::size_t sequence) {
  Sequence& longer = sequences_.at(sequence);
  const std::size_t position = longer.rows.size();
  if (position == n_text_ctx_) {
    throw std::length_error("decoder: expected at most " + std::to_string(n_text_ctx_) +
                            " tokens in a sequence");
  }
  longer.pages.resize(std::max(longer.pages.size(), position / kPageRows + 1), kNoPage);
  std::uint32_t& page = longer.pages[position / kPageRows];
  if (page == kNoPage) {
    page = free_pages_.back();
    free_pages_.pop_back();
  }
  const std::size_t row = page * page_rows() + position % kPageRows;
  longer.rows.push_back(static_cast<std::uint32_t>(row));
  return row;
}

void KvCache::fork(std::size_t first, std::span<const std::size_t> parents) {
  std::vector<std::vector<std::uint32_t>> taken;
  for (const std::size_t parent : parents) taken.push_back(sequences_.at(first + parent).rows);
  for (std::size_t i = 0; i < parents.size(); ++i) {
    if (parents[i] != i) sequences_.at(first + i).rows.swap(taken[i]);
  }
}

void KvCache::set(std::size_t layer, std::size_t row, std::span<const float> key,
                  std::span<const float> value) {
  assert(row < n_pages_ * page_rows() && key.size() == width_ && value.size() == width_);
  const std::size_t of_key = (2 * layer * kPageRows + row) * width_;
  const std::size_t of_value = of_key + kPageRows * width_;
  if (auto* floats = std::get_if<Floats>(&pages_)) {
    std::copy_n(key.data(), width_, floats->get() + of_key);
    std::copy_n(value.data(), width_, floats->get() + of_value);
    return;
  }
  std::uint16_t* const halves = std::get<Halves>(pages_).get();
  kernels::narrow_f16(key, {halves + of_key, width_});
  kernels::narrow_f16(value, {halves + of_value, width_});
}

template <typename F>
void KvCache::with_rows(std::size_t i, const Past& past, const F& f) const {
  const std::size_t first_row = i * kPageRows;
  if (const auto* floats = std::get_if<Floats>(&pages_)) {
    const models::ConstMatrixView all{floats->get() + first_row * width_,
                                      n_pages_ * page_rows() - first_row, width_, width_};
    f(kernels::GatheredRows{all.col_range(past.first_col, past.cols), past.rows});
  } else {
    const std::uint16_t* const halves =
        std::get<Halves>(pages_).get() + first_row * width_ + past.first_col;
    f(kernels::GatheredHalves{halves, width_, past.cols, past.rows});
  }
}

void KvCache::score(const Past& past, std::span<const float> query, std::span<float> scores) const {
  with_rows(2 * past.layer, past, [&](const auto& keys) { dot_rows(query, keys, scores); });
}

void KvCache::add_up(const Past& past, std::span<const float> weights, std::span<float> out) const {
  with_rows(2 * past.layer + 1, past,
            [&](const auto& values) { add_up_rows(weights, values, out); });
}

}  // namespace wnpu::decoder
