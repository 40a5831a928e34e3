#include <algorithm>
#include <numeric>

#include "decoder/search/likely_tokens.h"
#include "decoder/search/search.h"
#include "models/kernels/vectors/ops.h"

namespace wnpu::decoder {
namespace {

using models::TokenId;

TokenId likeliest(std::span<const float> logits) {
  TokenId best = 0;
  const auto too_low = [&](float logit) { return logit <= logits[static_cast<std::size_t>(best)]; };
  for_each_likely(logits, too_low, [&](TokenId id, float logit) {
    if (!too_low(logit)) best = id;
  });
  return best;
}

}  // namespace

GreedySearch::GreedySearch(const DecodeOptions& options, TokenId eot)
    : temperature_(options.temperature),
      eot_(eot),
      random_(options.seed),
      lines_(options.temperature > 0 ? options.best_of.value_or(1) : 1) {}

bool GreedySearch::done() const {
  return std::ranges::all_of(lines_, [](const Hypothesis& line) { return line.finished; });
}

void GreedySearch::advance(models::ConstMatrixView logits) {
  const bool first = lines_.front().tokens.empty() && !lines_.front().finished;
  std::size_t row = 0;
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    Hypothesis& line = lines_[i];
    line.parent = first ? 0 : i;
    if (line.finished) continue;
    const auto of_line = logits.row(first ? 0 : row++);
    const float log_sum = kernels::log_sum_exp(of_line);
    const TokenId token = choose(of_line);
    line.sum_logprob += of_line[static_cast<std::size_t>(token)] - log_sum;
    line.finished = token == eot_;
    if (!line.finished) line.tokens.push_back(token);
  }
}

// Sampling inverts the cumulative distribution of softmax(logits / temperature), whose weights are
// of kernels::exp_minus (2e-7 of each), summed in fp64. A standard library's exp of fp64 would take
// longer than tiny's decoder.
TokenId GreedySearch::choose(std::span<const float> logits) {
  if (temperature_ == 0) return likeliest(logits);
  const float max = kernels::max(logits);
  weights_.resize(logits.size());
  std::ranges::transform(logits, weights_.begin(),
                         [&](float logit) { return (logit - max) / temperature_; });
  kernels::exp_minus(weights_, 0);
  const double total = std::accumulate(weights_.begin(), weights_.end(), 0.0);
  const double target = static_cast<double>(random_() >> 11U) * 0x1p-53 * total;
  double sum = 0;
  for (std::size_t id = 0; id < weights_.size(); ++id) {
    sum += static_cast<double>(weights_[id]);
    if (sum > target) return static_cast<TokenId>(id);
  }
  return likeliest(logits);
}

}  // namespace wnpu::decoder
