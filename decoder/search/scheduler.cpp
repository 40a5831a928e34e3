#include "decoder/search/scheduler.h"

#include <algorithm>

namespace wnpu::decoder {

void Scheduler::admit(std::size_t number, const DecodeOptions& options, const CrossKv& window) {
  tasks_.push_back(
      std::make_unique<Task>(number, cache_, decoder_.dims(), vocabulary_, options, window));
}

void Scheduler::drop(std::size_t number) {
  std::erase_if(tasks_, [number](const auto& each) { return each->number == number; });
}

std::vector<StepRow> Scheduler::plan(std::span<const std::size_t> numbers) {
  std::vector<StepRow> rows;
  n_logits_ = 0;
  for (const auto& each : tasks_) {
    const std::size_t before = rows.size();
    const bool takes_part = std::ranges::find(numbers, each->number) != numbers.end();
    if (takes_part && !each->task.done()) each->task.add_rows(rows);
    if (rows.size() > decoder_.dims().n_text_ctx) rows.resize(before);
    each->first_logits = n_logits_;
    each->n_logits = static_cast<std::size_t>(
        std::ranges::count(std::span(rows).subspan(before), true, &StepRow::wants_logits));
    n_logits_ += each->n_logits;
  }
  return rows;
}

void Scheduler::step(std::span<const std::size_t> numbers) {
  const std::vector<StepRow> rows = plan(numbers);
  if (rows.empty()) return;
  if (logits_.rows() < n_logits_) logits_ = models::Matrix(n_logits_, decoder_.dims().n_vocab);
  decoder_.step(cache_, rows, logits_.view().row_range(0, n_logits_));
  // Searches look through the vocabulary, row by row: together they take as long as a layer.
  decoder_.pool().parallel_for(tasks_.size(), [&](std::size_t i, std::size_t) {
    Task& each = *tasks_[i];
    if (each.n_logits > 0)
      each.task.advance(logits_.view().row_range(each.first_logits, each.n_logits));
  });
}

std::optional<std::pair<std::size_t, Decoded>> Scheduler::retire() {
  const auto ended =
      std::ranges::find_if(tasks_, [](const auto& each) { return each->task.done(); });
  if (ended == tasks_.end()) return std::nullopt;
  std::pair result{(*ended)->number, (*ended)->task.result()};
  tasks_.erase(ended);
  return result;
}

Decoded decode(Decoder& decoder, KvCache& cache, const models::Vocabulary& vocabulary,
               const DecodeOptions& options, const CrossKv& window) {
  Scheduler scheduler(decoder, cache, vocabulary);
  static constexpr std::size_t kNumber = 0;
  scheduler.admit(kNumber, options, window);
  for (;;) {
    scheduler.step({&kNumber, 1});
    if (auto ended = scheduler.retire()) return std::move(ended->second);
  }
}

}  // namespace wnpu::decoder
