#include "decoder/kv_cache.h"

#include <stdexcept>
#include <string>

namespace wnpu::decoder {

KvCache::KvCache(const models::Dims& dims, std::size_t n_sequences)
    : n_text_ctx_(dims.n_text_ctx),
      width_(dims.n_text_state),
      pool_rows_(dims.n_text_ctx * n_sequences),
      tables_(n_sequences),
      pools_(std::make_unique_for_overwrite<float[]>(2 * dims.n_text_layer * pool_rows_ * width_)) {
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

}  // namespace wnpu::decoder
