#include "decoder/alignment.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "decoder/time_warp.h"
#include "models/ops.h"
#include "models/word_split.h"

namespace wnpu::decoder {
namespace {

using models::Matrix;
using models::TokenId;

constexpr std::size_t kMedianWidth = 7;        // timing.py medfilt_width
constexpr std::size_t kFramesPerPosition = 2;  // mel frames an encoder position
constexpr double kPositionsPerSecond = 50;     // openai/whisper audio.py TOKENS_PER_SECOND

// Each head's attention over the window's audio: softmax over positions, normalised over tokens,
// smoothed; added to `sum`.
void add_head(Matrix& scores, std::size_t n_positions, Matrix& sum) {
  const std::size_t n = scores.rows();
  const models::MatrixView weights = scores.view().col_range(0, n_positions);
  for (std::size_t r = 0; r < n; ++r) models::softmax(weights.row(r));
  for (std::size_t c = 0; c < n_positions; ++c) {
    double mean = 0;
    double variance = 0;
    for (std::size_t r = 0; r < n; ++r) mean += static_cast<double>(weights.row(r)[c]);
    mean /= static_cast<double>(n);
    for (std::size_t r = 0; r < n; ++r) {
      const double difference = static_cast<double>(weights.row(r)[c]) - mean;
      variance += difference * difference;
    }
    const double deviation = std::sqrt(variance / static_cast<double>(n));
    for (std::size_t r = 0; r < n; ++r) {
      float& weight = weights.row(r)[c];
      weight = static_cast<float>((static_cast<double>(weight) - mean) / deviation);
    }
  }
  for (std::size_t r = 0; r < n; ++r) {
    median_filter(weights.row(r), kMedianWidth);
    models::axpy(1.0F, weights.row(r), sum.row(r));
  }
}

// Probability of each text token among text tokens; logits row i predicts text[i].
std::vector<double> text_probabilities(const Matrix& logits, std::span<const TokenId> text,
                                       TokenId eot) {
  std::vector<double> probabilities;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto row = logits.row(i).first(static_cast<std::size_t>(eot));
    const float logit = row[static_cast<std::size_t>(text[i])];
    probabilities.push_back(std::exp(static_cast<double>(logit - models::log_sum_exp(row))));
  }
  return probabilities;
}

// For each row of the path the position at which it is first reached.
std::vector<double> jump_times(const std::vector<PathPoint>& path, std::size_t rows) {
  std::vector<double> times;
  for (const PathPoint& point : path) {
    if (point.row == times.size() && times.size() < rows) {
      times.push_back(static_cast<double>(point.column) / kPositionsPerSecond);
    }
  }
  return times;
}

std::vector<WordTiming> time_words(const std::vector<models::Word>& words,
                                   const std::vector<double>& times,
                                   const std::vector<double>& probabilities) {
  std::vector<WordTiming> timings;
  std::size_t first = 0;
  for (std::size_t w = 0; w + 1 < words.size(); ++w) {  // the last word is eot
    const std::size_t end = first + words[w].tokens.size();
    double probability = 0;
    for (std::size_t i = first; i < end; ++i) probability += probabilities[i];
    timings.push_back({words[w].text, words[w].tokens, times[first], times[end],
                       probability / static_cast<double>(end - first)});
    first = end;
  }
  return timings;
}

}  // namespace

std::vector<std::pair<int, int>> alignment_heads(const models::Dims& dims,
                                                 const models::ModelConfig& config) {
  if (!config.alignment_heads.empty()) return config.alignment_heads;
  std::vector<std::pair<int, int>> heads;
  for (std::size_t layer = dims.n_text_layer / 2; layer < dims.n_text_layer; ++layer) {
    for (std::size_t head = 0; head < dims.n_text_head; ++head) {
      heads.emplace_back(static_cast<int>(layer), static_cast<int>(head));
    }
  }
  return heads;
}

std::vector<WordTiming> find_alignment(Decoder& decoder, KvCache& cache,
                                       const models::Vocabulary& vocabulary,
                                       std::span<const std::pair<int, int>> heads,
                                       const AlignmentTask& task) {
  const std::size_t n_sot = task.sot_sequence.size();
  std::vector<TokenId> text_and_eot(task.text.begin(), task.text.end());
  text_and_eot.push_back(vocabulary.eot());
  const auto words = models::split_to_words(vocabulary, text_and_eot, task.language);
  const std::size_t n_positions = task.n_frames / kFramesPerPosition;
  if (words.size() <= 1 || n_positions == 0) return {};

  // Forced through the decoder: sot sequence, no_timestamps, text, eot.
  std::vector<StepRow> rows;
  for (const TokenId token : task.sot_sequence) rows.push_back({0, token, false, task.window});
  rows.push_back({0, vocabulary.no_timestamps(), true, task.window});
  for (const TokenId token : task.text) rows.push_back({0, token, true, task.window});
  rows.push_back({0, vocabulary.eot(), false, task.window});
  cache.clear(0);
  AttentionTap tap{{heads.begin(), heads.end()}, {}};
  Matrix logits(task.text.size() + 1, decoder.dims().n_vocab);
  decoder.step(cache, rows, logits.view(), &tap);
  cache.clear(0);

  Matrix cost(rows.size(), n_positions);
  for (Matrix& scores : tap.scores) add_head(scores, n_positions, cost);
  for (float& value : cost.flat()) value /= -static_cast<float>(heads.size());
  // The rows that predict text and its end.
  const auto path = warp(cost.view().row_range(n_sot, task.text.size() + 1));
  return time_words(words, jump_times(path, task.text.size() + 1),
                    text_probabilities(logits, task.text, vocabulary.eot()));
}

}  // namespace wnpu::decoder
