#include "decoder/search/search.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "decoder/search/likely_tokens.h"
#include "models/kernels/vectors/ops.h"

namespace wnpu::decoder {
namespace {

using models::TokenId;

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

BeamSearch::BeamSearch(const DecodeOptions& options, TokenId eot)
    : beam_size_(options.beam_size.value_or(1)),
      max_candidates_(max_candidates(options)),
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

}  // namespace wnpu::decoder
