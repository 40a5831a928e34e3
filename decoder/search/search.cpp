#include "decoder/search/search.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "models/kernels/vectors/ops.h"

namespace wnpu::decoder {
namespace {

using models::TokenId;

// Calls f(id, logit) for tokens in order, but leaves out stretches of them, most of a vocabulary,
// whose largest logit is too low.
template <typename TooLow, typename F>
void for_each_likely(std::span<const float> logits, const TooLow& too_low, const F& f) {
  constexpr std::size_t kStretch = 256;
  for (std::size_t first = 0; first < logits.size(); first += kStretch) {
    const auto stretch = logits.subspan(first, std::min(kStretch, logits.size() - first));
    if (too_low(kernels::max(stretch))) continue;
    for (std::size_t i = 0; i < stretch.size(); ++i) f(static_cast<TokenId>(first + i), stretch[i]);
  }
}

TokenId likeliest(std::span<const float> logits) {
  TokenId best = 0;
  const auto too_low = [&](float logit) { return logit <= logits[static_cast<std::size_t>(best)]; };
  for_each_likely(logits, too_low, [&](TokenId id, float logit) {
    if (!too_low(logit)) best = id;
  });
  return best;
}

struct Candidate {
  std::size_t beam;
  TokenId token;
  float sum_logprob;
};

// The `n` likeliest continuations of one beam, best first.
void add_likeliest(std::span<const float> logits, std::size_t n, std::size_t beam,
                   float sum_logprob, std::vector<Candidate>& out) {
  const float log_sum = kernels::log_sum_exp(logits);
  const auto likelier = [](const Candidate& a, const Candidate& b) {
    return a.sum_logprob != b.sum_logprob ? a.sum_logprob > b.sum_logprob : a.token < b.token;
  };
  std::vector<Candidate> best;  // sorted, at most n; `sum_logprob` holds the logit for now
  const auto too_low = [&](float logit) {
    return best.size() == n && logit <= best.back().sum_logprob;
  };
  for_each_likely(logits, too_low, [&](TokenId id, float logit) {
    if (too_low(logit)) return;
    const Candidate candidate{beam, id, logit};
    best.insert(std::ranges::upper_bound(best, candidate, likelier), candidate);
    if (best.size() > n) best.pop_back();
  });
  for (Candidate& candidate : best) {
    candidate.sum_logprob = sum_logprob + (candidate.sum_logprob - log_sum);
  }
  out.insert(out.end(), best.begin(), best.end());
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
    const TokenId token = choose(of_line, log_sum);
    line.sum_logprob += of_line[static_cast<std::size_t>(token)] - log_sum;
    line.finished = token == eot_;
    if (!line.finished) line.tokens.push_back(token);
  }
}

// Sampling inverts the cumulative distribution of softmax(logits / temperature), in fp64, so that
// the same seed gives the same token with every standard library.
TokenId GreedySearch::choose(std::span<const float> logits, float log_sum) {
  if (temperature_ == 0) return likeliest(logits);
  double total = 0;
  for (const float logit : logits) {
    total += std::exp(static_cast<double>(logit - log_sum) / static_cast<double>(temperature_));
  }
  const double target = static_cast<double>(random_() >> 11U) * 0x1p-53 * total;
  double sum = 0;
  for (std::size_t id = 0; id < logits.size(); ++id) {
    sum += std::exp(static_cast<double>(logits[id] - log_sum) / static_cast<double>(temperature_));
    if (sum > target) return static_cast<TokenId>(id);
  }
  return likeliest(logits);
}

BeamSearch::BeamSearch(const DecodeOptions& options, TokenId eot)
    : beam_size_(options.beam_size.value_or(1)),
      max_candidates_(
          static_cast<std::size_t>(std::lround(static_cast<float>(beam_size_) * options.patience))),
      eot_(eot),
      beams_(1) {}

void BeamSearch::advance(models::ConstMatrixView logits) {
  assert(logits.rows == beams_.size());
  std::vector<Candidate> candidates;
  for (std::size_t i = 0; i < beams_.size(); ++i) {
    add_likeliest(logits.row(i), beam_size_ + 1, i, beams_[i].sum_logprob, candidates);
  }
  std::ranges::stable_sort(candidates, std::greater{}, &Candidate::sum_logprob);
  std::vector<Hypothesis> next;
  std::vector<Hypothesis> newly_finished;
  for (const Candidate& candidate : candidates) {
    Hypothesis line = beams_[candidate.beam];
    line.parent = candidate.beam;
    line.sum_logprob = candidate.sum_logprob;
    line.finished = candidate.token == eot_;
    if (line.finished) {
      newly_finished.push_back(std::move(line));
      continue;
    }
    line.tokens.push_back(candidate.token);
    next.push_back(std::move(line));
    if (next.size() == beam_size_) break;
  }
  for (Hypothesis& line : newly_finished) {
    if (!done()) finished_.push_back(std::move(line));
  }
  beams_ = std::move(next);
}

std::vector<Hypothesis> BeamSearch::finish() const {
  std::vector<Hypothesis> all = finished_;
  std::vector<Hypothesis> open = beams_;
  std::ranges::stable_sort(open, std::greater{}, &Hypothesis::sum_logprob);
  for (const Hypothesis& beam : open) {
    if (all.size() >= beam_size_) break;
    all.push_back(beam);
  }
  return all;
}

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
