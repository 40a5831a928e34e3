#include "models/quantize/input_sample.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <span>

#include "models/kernels/vectors/half_floats.h"

namespace wnpu::models {
namespace {

// Every bit of the result depends on every bit of the row (splitmix64's mixing).
std::uint64_t hash_of(std::span<const float> row) {
  std::uint64_t hash = row.size();
  for (const float value : row) {
    hash += 0x9e3779b97f4a7c15U + std::bit_cast<std::uint32_t>(value);
    hash = (hash ^ (hash >> 30U)) * 0xbf58476d1ce4e5b9U;
    hash = (hash ^ (hash >> 27U)) * 0x94d049bb133111ebU;
    hash ^= hash >> 31U;
  }
  return hash;
}

}  // namespace

void InputSample::see(ConstMatrixView x) {
  for (std::size_t r = 0; r < x.rows; ++r) {
    const std::span<const float> row = x.row(r);
    if (!kernels::all_finite(row)) continue;
    const std::uint64_t hash = hash_of(row);
    const std::lock_guard lock(mutex_);
    const bool is_full = rows_.size() == most_rows_;
    if (is_full && hash >= std::prev(rows_.end())->first) continue;
    const bool is_new = rows_.try_emplace(hash, row.begin(), row.end()).second;
    if (is_full && is_new) rows_.erase(std::prev(rows_.end()));
  }
}

Matrix InputSample::rows() const {
  if (rows_.empty()) return {};
  Matrix sample = Matrix::uninitialised(rows_.size(), rows_.begin()->second.size());
  std::size_t r = 0;
  for (const auto& [hash, row] : rows_) std::ranges::copy(row, sample.row(r++).begin());
  return sample;
}

}  // namespace wnpu::models
