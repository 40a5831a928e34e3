// The logits that decoder/model/vocabulary_projection.h promises to be exact whatever the others
// are.
#pragma once

#include <cstddef>
#include <vector>

#include "models/base/dims.h"

namespace wnpu::tests {

// Logits of the special tokens, from every row of [rows, n_vocab].
template <typename Logits>
auto special_logits(const Logits& flat, const models::Dims& dims) {
  std::vector<typename Logits::value_type> special;
  for (std::size_t row = 0; row < flat.size(); row += dims.n_vocab) {
    for (std::size_t id = dims.n_text_tokens(); id < dims.n_vocab; ++id)
      special.push_back(flat[row + id]);
  }
  return special;
}

}  // namespace wnpu::tests
