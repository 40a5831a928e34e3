#include <cmath>
#include <limits>

#include "decoder/search/search.h"

namespace wnpu::decoder {

std::size_t best_candidate(std::span<const Hypothesis> candidates,
                           std::optional<float> length_penalty) {
  const auto score = [&](const Hypothesis& candidate) {
    const auto length = static_cast<float>(candidate.tokens.size());
    // openai divides by the length, which cannot be 0 there: no empty candidate is ever better.
    if (candidate.tokens.empty()) return -std::numeric_limits<float>::infinity();
    const float penalty =
        length_penalty ? std::pow((5.0F + length) / 6.0F, *length_penalty) : length;
    return candidate.sum_logprob / penalty;
  };
  std::size_t best = 0;
  for (std::size_t i = 1; i < candidates.size(); ++i) {
    if (score(candidates[i]) > score(candidates[best])) best = i;
  }
  return best;
}

}  // namespace wnpu::decoder
