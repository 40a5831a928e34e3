#include "decoder/text/fallback.h"

#include <algorithm>
#include <utility>

namespace wnpu::decoder {
namespace {

bool repeats(const Decoded& decoded, const Thresholds& thresholds) {
  return thresholds.compression_ratio && decoded.compression_ratio > *thresholds.compression_ratio;
}

}  // namespace

bool needs_fallback(const Decoded& decoded, const Thresholds& thresholds) {
  const bool unsure = thresholds.logprob && decoded.avg_logprob < *thresholds.logprob;
  const bool silent =
      thresholds.no_speech && decoded.no_speech_prob > *thresholds.no_speech && unsure;
  return (repeats(decoded, thresholds) || unsure) && !silent;
}

std::size_t best_try(std::span<const Decoded> tries, const Thresholds& thresholds) {
  const auto rank = [&](const Decoded& decoded) {
    return std::pair(!repeats(decoded, thresholds), decoded.avg_logprob);
  };
  return static_cast<std::size_t>(std::ranges::max_element(tries, {}, rank) - tries.begin());
}

bool is_silence(const Decoded& decoded, const Thresholds& thresholds) {
  if (!thresholds.no_speech || decoded.no_speech_prob <= *thresholds.no_speech) return false;
  return !(thresholds.logprob && decoded.avg_logprob > *thresholds.logprob);
}

}  // namespace wnpu::decoder
