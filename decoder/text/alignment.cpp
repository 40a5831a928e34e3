#include "decoder/text/alignment.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "decoder/text/time_warp.h"
#include "models/kernels/vectors/ops.h"
#include "models/text/word_split.h"

namespace wnpu::decoder {
namespace {

using models::Matrix;
using models::TokenId;

constexpr std::size_t kFramesPerPosition = 2;  // mel frames an encoder position
constexpr double kPositionsPerSecond = 50;     // openai/whisper audio.py TOKENS_PER_SECOND

// Probability of each text token among text tokens; logits row i predicts text[i].
std::vector<double> text_probabilities(const Matrix& logits, std::span<const TokenId> text,
                                       TokenId eot) {
  std::vector<double> probabilities;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto row = logits.row(i).first(static_cast<std::size_t>(eot));
    const float logit = row[static_cast<std::size_t>(text[i])];
    probabilities.push_back(std::exp(static_cast<double>(logit - kernels::log_sum_exp(row))));
  }
  return probabilities;
}

// Words of each text, with its index as their segment.
std::vector<WordTiming> split(const AlignmentTask& task, const models::Vocabulary& vocabulary) {
  std::vector<WordTiming> words;
  for (std::size_t i = 0; i < task.texts.size(); ++i) {
    for (auto& word : models::split_to_words(vocabulary, task.texts[i], task.language)) {
      words.push_back({std::move(word.text), std::move(word.tokens), i});
    }
  }
  return words;
}

// columns: where each token begins, and the end of the text.
void set_times(std::vector<WordTiming>& words, const std::vector<std::size_t>& columns,
               const std::vector<double>& probabilities) {
  std::size_t first = 0;
  for (WordTiming& word : words) {
    const std::size_t n = word.tokens.size();
    const auto of_word = std::span(probabilities).subspan(first, n);
    word.start = static_cast<double>(columns.at(first)) / kPositionsPerSecond;
    word.end = static_cast<double>(columns.at(first + n)) / kPositionsPerSecond;
    word.probability =
        std::accumulate(of_word.begin(), of_word.end(), 0.0) / static_cast<double>(n);
    first += n;
  }
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

std::size_t longest_alignment(const models::Dims& dims, std::size_t n_sot) {
  const std::size_t n_special = n_sot + 2;  // no_timestamps and eot
  return dims.n_text_ctx - std::min(dims.n_text_ctx, n_special);
}

std::vector<WordTiming> find_alignment(Decoder& decoder, KvCache& cache,
                                       const models::Vocabulary& vocabulary,
                                       std::span<const std::pair<int, int>> heads,
                                       const AlignmentTask& task) {
  std::vector<TokenId> text;
  for (const auto& of_segment : task.texts)
    text.insert(text.end(), of_segment.begin(), of_segment.end());
  if (text.empty()) return {};

  // Forced through the decoder: sot sequence, no_timestamps, text, eot.
  const OpenSequences sequence(cache, 1);
  std::vector<StepRow> rows;
  const auto feed = [&](TokenId token, bool wants_logits) {
    rows.push_back({sequence.first(), token, wants_logits, task.window});
  };
  for (const TokenId token : task.sot_sequence) feed(token, false);
  const bool wants_logits = task.wants_probabilities;
  feed(vocabulary.no_timestamps(), wants_logits);
  for (const TokenId token : text) feed(token, wants_logits);
  feed(vocabulary.eot(), false);
  AttentionCapture tap{{heads.begin(), heads.end()}, {}};
  Matrix logits(wants_logits ? text.size() + 1 : 0, decoder.dims().n_vocab);
  decoder.step(cache, rows, logits.view(), &tap);

  const Matrix cost = attention_cost(tap.scores, task.n_frames / kFramesPerPosition);
  // The rows that predict text and its end.
  const auto columns =
      first_columns(cost.view().row_range(task.sot_sequence.size(), text.size() + 1));
  std::vector<WordTiming> words = split(task, vocabulary);
  set_times(words, columns,
            wants_logits ? text_probabilities(logits, text, vocabulary.eot())
                         : std::vector<double>(text.size()));
  return words;
}

}  // namespace wnpu::decoder
