#include "decoder/model/kv_cache.h"

#include <algorithm>
#include <cassert>
#include <stdexcept>
#include <string>

#include "models/base/tensor.h"
#include "models/kernels/vectors/gathered_rows.h"
#include "models/kernels/vectors/half_floats.h"

namespace wnpu::decoder {

KvCache::KvCache(const models::Dims& dims, std::size_t n_sequences, models::Precision precision)
    : n_text_ctx_(dims.n_text_ctx),
      width_(dims.n_text_state),
      pool_rows_(dims.n_text_ctx * n_sequences),
      tables_(n_sequences) {
  const std::size_t size = pool(2 * dims.n_text_layer);
  if (precision == models::Precision::fp32) {
    pools_ = std::make_unique_for_overwrite<float[]>(size);
  } else {
    pools_ = std::make_unique_for_overwrite<std::uint16_t[]>(size);
  }
  for (auto& table : tables_) table.reserve(n_text_ctx_);
}

std::size_t KvCache::append(std::size_t sequence) {
  auto& table = tables_.at(sequence);
  if (table.size() == n_text_ctx_) {
    throw std::length_error("decoder: expected at most " + std::to_string(n_text_ctx_) +
                            " tokens in a sequence");
  }
  const std::size_t row = table.size() * tables_.size() + sequence;
  table.push_back(static_cast<std::uint32_t>(row));
  return row;
}

void KvCache::fork(std::size_t first, std::span<const std::size_t> parents) {
  std::vector<std::vector<std::uint32_t>> old(tables_.begin() + static_cast<std::ptrdiff_t>(first),
                                              tables_.end());
  for (std::size_t i = 0; i < parents.size(); ++i) {
    if (parents[i] != i) tables_[first + i] = old.at(parents[i]);
  }
}

void KvCache::set(std::size_t layer, std::size_t row, std::span<const float> key,
                  std::span<const float> value) {
  assert(row < pool_rows_ && key.size() == width_ && value.size() == width_);
  const std::size_t of_key = pool(2 * layer) + row * width_;
  const std::size_t of_value = pool(2 * layer + 1) + row * width_;
  if (auto* floats = std::get_if<Floats>(&pools_)) {
    std::copy_n(key.data(), width_, floats->get() + of_key);
    std::copy_n(value.data(), width_, floats->get() + of_value);
    return;
  }
  std::uint16_t* const halves = std::get<Halves>(pools_).get();
  kernels::narrow_f16(key, {halves + of_key, width_});
  kernels::narrow_f16(value, {halves + of_value, width_});
}

template <typename F>
void KvCache::with_rows(std::size_t i, const Past& past, const F& f) const {
  if (const auto* floats = std::get_if<Floats>(&pools_)) {
    const models::ConstMatrixView all{floats->get() + pool(i), pool_rows_, width_, width_};
    f(kernels::GatheredRows{all.col_range(past.first_col, past.cols), past.rows});
  } else {
    const std::uint16_t* const halves = std::get<Halves>(pools_).get() + pool(i) + past.first_col;
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
