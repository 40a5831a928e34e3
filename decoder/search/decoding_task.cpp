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

DecodingTask::DecodingTask(const models::Dims& dims, const Vocabulary& vocabulary,
                           const DecodeOptions& options)
    : dims_(dims),
      vocabulary_(&vocabulary),
      options_(options),
      filters_(dims, vocabulary, options),
      sample_len_(options.sample_len.value_or(dims.n_text_ctx / 2)),
      search_(make_search(options, vocabulary.eot())),
      initial_(initial_tokens(dims, vocabulary, options)) {
  sot_index_ =
      static_cast<std::size_t>(std::ranges::find(initial_, vocabulary.sot()) - initial_.begin());
}

void DecodingTask::begin(KvCache& cache, std::size_t first_sequence, const CrossKv& window) {
  first_sequence_ = first_sequence;
  window_ = &window;
  for (std::size_t i = 0; i < n_sequences(options_); ++i) cache.clear(first_sequence + i);
}

std::span<const Hypothesis> DecodingTask::lines() const {
  return std::visit([](const auto& search) { return search.lines(); }, search_);
}

void DecodingTask::add_rows(std::vector<StepRow>& rows) const {
  const auto all = lines();
  for (std::size_t i = 0; n_sampled_ > 0 && i < all.size(); ++i) {
    if (!all[i].finished)
      rows.push_back({first_sequence_ + i, all[i].tokens.back(), true, window_});
  }
  for (std::size_t i = 0; n_sampled_ == 0 && i < initial_.size(); ++i) {
    const bool wants_logits = i == sot_index_ || i + 1 == initial_.size();
    rows.push_back({first_sequence_, initial_[i], wants_logits, window_});
  }
}

void DecodingTask::advance(KvCache& cache, models::MatrixView logits) {
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
  cache.fork(first_sequence_, parents);
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

namespace {

// One step for several tasks.
struct StepPlan {
  std::vector<StepRow> rows;
  std::vector<std::size_t> n_logits;  // rows of logits that each task wanted
  std::size_t n_wanted = 0;           // their sum
};

// A step takes max_rows rows: what is beyond, long prompts, waits for the next one.
StepPlan plan_step(std::span<const DecodingTask> tasks, std::size_t max_rows) {
  StepPlan plan;
  for (const DecodingTask& task : tasks) {
    const std::size_t before = plan.rows.size();
    if (!task.done()) task.add_rows(plan.rows);
    if (plan.rows.size() > max_rows) plan.rows.resize(before);
    const auto added = std::span(plan.rows).subspan(before);
    plan.n_logits.push_back(static_cast<std::size_t>(
        std::ranges::count_if(added, [](const StepRow& row) { return row.wants_logits; })));
    plan.n_wanted += plan.n_logits.back();
  }
  return plan;
}

}  // namespace

void run(Decoder& decoder, KvCache& cache, std::span<DecodingTask> tasks,
         const std::function<bool()>& should_stop) {
  models::Matrix logits;
  for (;;) {
    if (should_stop && should_stop()) throw models::Stopped();
    const StepPlan plan = plan_step(tasks, decoder.dims().n_text_ctx);
    if (plan.rows.empty()) return;
    if (logits.rows() < plan.n_wanted)
      logits = models::Matrix(plan.n_wanted, decoder.dims().n_vocab);
    decoder.step(cache, plan.rows, logits.view().row_range(0, plan.n_wanted));
    std::size_t first = 0;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      const std::size_t n = plan.n_logits[i];
      if (n > 0) tasks[i].advance(cache, logits.view().row_range(first, n));
      first += n;
    }
  }
}

}  // namespace wnpu::decoder
