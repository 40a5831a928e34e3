// How tokens are chosen from logits: greedily, by sampling, or by beam search. Both searches see
// filtered logits and know nothing of models or windows.
#pragma once

#include <cstddef>
#include <random>
#include <span>
#include <vector>

#include "decoder/search/decode_options.h"
#include "models/base/stages.h"
#include "models/base/tensor.h"

namespace wnpu::decoder {

// A hypothesis: the tokens since the prompt, eot not among them.
struct Hypothesis {
  std::vector<models::TokenId> tokens;
  float sum_logprob = 0;
  bool finished = false;   // eot came
  std::size_t parent = 0;  // which hypothesis of the step before it continues
};

// GreedyDecoder of openai/whisper decoding.py: best_of independent lines, each the likeliest token
// at temperature 0, and a sample above.
class GreedySearch {
 public:
  GreedySearch(const DecodeOptions& options, models::TokenId eot);

  // Takes filtered logits [unfinished lines, n_vocab], in the order of lines(); on the first call
  // one row serves all.
  void advance(models::ConstMatrixView logits);
  bool done() const;
  // Lines to feed next, in the order in which advance wants their logits.
  std::span<const Hypothesis> lines() const { return lines_; }
  std::vector<Hypothesis> finish() const { return lines_; }

 private:
  models::TokenId choose(std::span<const float> logits);

  float temperature_;
  models::TokenId eot_;
  std::mt19937_64 random_;
  std::vector<float> weights_;  // of a row's tokens, while one is drawn
  std::vector<Hypothesis> lines_;
};

// BeamSearchDecoder of openai/whisper decoding.py.
class BeamSearch {
 public:
  BeamSearch(const DecodeOptions& options, models::TokenId eot);

  // Takes filtered logits [lines(), n_vocab], in their order; on the first call there is one line.
  void advance(models::ConstMatrixView logits);
  bool done() const { return finished_.size() >= max_candidates_; }
  std::span<const Hypothesis> lines() const { return beams_; }
  // Finished candidates, filled up with the best unfinished beams where they are too few.
  std::vector<Hypothesis> finish() const;

 private:
  std::size_t beam_size_;
  std::size_t max_candidates_;
  models::TokenId eot_;
  std::vector<Hypothesis> beams_;
  std::vector<Hypothesis> finished_;
};

// MaximumLikelihoodRanker of openai/whisper decoding.py: the index of the best candidate.
std::size_t best_candidate(std::span<const Hypothesis> candidates,
                           std::optional<float> length_penalty);

}  // namespace wnpu::decoder
