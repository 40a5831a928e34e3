#include "decoder/search/decoding_task.h"

#include <algorithm>
#include <cassert>

#include "decoder/search/language.h"
#include "models/base/error.h"
#include "models/base/utf8.h"

namespace wnpu::decoder {
namespace {

using models::TokenId;
using models::Vocabulary;

std::variant<GreedySearch, BeamSearch> make_search(const DecodeOptions& options, TokenId eot) {
  if (options.temperature == 0 && options.beam_size) return BeamSearch(options, eot);
  return GreedySearch(options, eot);
}

}  // namespace

DecodingTask::DecodingTask(KvCache& cache, const models::Dims& dims, const Vocabulary& vocabulary,
                           const DecodeOptions& options, const CrossKv& window)
    : dims_(dims),
      vocabulary_(&vocabulary),
      options_(options),
      filters_(dims, vocabulary, options),
      sample_len_(options.sample_len.value_or(dims.n_text_ctx / 2)),
      search_(make_search(options, vocabulary.eot())),
      initial_(initial_tokens(dims, vocabulary, options)),
      sequences_(cache, n_sequences(options)),
      window_(window) {
  sot_index_ =
      static_cast<std::size_t>(std::ranges::find(initial_, vocabulary.sot()) - initial_.begin());
}

std::span<const Hypothesis> DecodingTask::lines() const {
  return std::visit([](const auto& search) { return search.lines(); }, search_);
}

void DecodingTask::add_rows(std::vector<StepRow>& rows) const {
  const auto all = lines();
  for (std::size_t i = 0; n_sampled_ > 0 && i < all.size(); ++i) {
    if (!all[i].finished)
      rows.push_back({sequences_.first() + i, all[i].tokens.back(), true, &window_});
  }
  for (std::size_t i = 0; n_sampled_ == 0 && i < initial_.size(); ++i) {
    const bool wants_logits = i == sot_index_ || i + 1 == initial_.size();
    rows.push_back({sequences_.first(), initial_[i], wants_logits, &window_});
  }
}

void DecodingTask::advance(models::MatrixView logits) {
  if (n_sampled_ == 0) {
    no_speech_prob_ = no_speech_prob(logits.row(0), *vocabulary_);
    logits = logits.row_range(logits.rows - 1, 1);
  }
  std::size_t row = 0;
  for (const Hypothesis& line : lines()) {
    if (line.finished || row == logits.rows) continue;
    filters_.apply(logits.row(row++), line.tokens);
  }
  std::visit([&](auto& search) { search.advance(logits); }, search_);
  ++n_sampled_;
  const bool ended = std::visit([](const auto& search) { return search.done(); }, search_);
  done_ = ended || n_sampled_ >= sample_len_ || initial_.size() + n_sampled_ > dims_.n_text_ctx;
  if (done_) return;
  std::vector<std::size_t> parents;
  for (const Hypothesis& line : lines()) parents.push_back(line.parent);
  sequences_.cache().fork(sequences_.first(), parents);
}

Decoded DecodingTask::result() const {
  const auto candidates = std::visit([](const auto& search) { return search.finish(); }, search_);
  const Hypothesis& best = candidates[best_candidate(candidates, options_.length_penalty)];
  Decoded decoded;
  decoded.tokens = best.tokens;
  decoded.text = models::strip(models::repair_utf8(vocabulary_->decode(best.tokens)));
  decoded.avg_logprob =
      static_cast<double>(best.sum_logprob) / static_cast<double>(best.tokens.size() + 1);
  decoded.no_speech_prob = no_speech_prob_;
  decoded.temperature = static_cast<double>(options_.temperature);
  decoded.compression_ratio = compression_ratio(decoded.text);
  return decoded;
}

}  // namespace wnpu::decoder
