// Visits the tokens that are likely enough, and skips most of a vocabulary.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "models/base/stages.h"
#include "models/kernels/vectors/ops.h"

namespace wnpu::decoder {

// Calls f(id, logit) for tokens in order, but leaves out blocks of consecutive tokens, most of a
// vocabulary, whose largest logit is too low.
template <typename TooLow, typename F>
void for_each_likely(std::span<const float> logits, const TooLow& too_low, const F& f) {
  constexpr std::size_t kBlock = 256;
  for (std::size_t first = 0; first < logits.size(); first += kBlock) {
    const auto block = logits.subspan(first, std::min(kBlock, logits.size() - first));
    if (too_low(kernels::max(block))) continue;
    for (std::size_t i = 0; i < block.size(); ++i)
      f(static_cast<models::TokenId>(first + i), block[i]);
  }
}

}  // namespace wnpu::decoder
