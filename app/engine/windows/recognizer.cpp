#include "app/engine/windows/recognizer.h"

#include "app/engine/devices/cpu_share.h"

namespace wnpu::app {

Recognizer::Recognizer(std::shared_ptr<const LoadedModel> model, std::size_t n_threads,
                       EncoderSet* devices, const CpuShare& cpu)
    : model_(std::move(model)),
      n_wanted_threads_(
          thread_shares(n_threads, devices == nullptr ? 0 : devices->n_devices(), cpu.is_beside)
              .decoder),
      pool_(n_wanted_threads_),
      encoder_(*model_, n_threads, pool_, devices, cpu),
      decoder_(model_->decoder(), pool_),
      cache_(std::make_unique<decoder::KvCache>(dims(), 1, model_->precision())) {}

void Recognizer::set_should_stop(std::function<bool()> should_stop) {
  encoder_.set_should_stop(should_stop);
  pool_.set_should_stop(should_stop);
  should_stop_ = std::move(should_stop);
}

void Recognizer::keep(std::size_t slot, const models::EncoderStates& states) {
  if (windows_.size() <= slot) windows_.resize(slot + 1);
  decoder_.cross_kv(states, windows_[slot]);
}

decoder::HeardLanguages Recognizer::hear_languages(std::size_t slot) {
  return decoder::hear_languages(decoder_, *cache_, vocabulary(), windows_.at(slot));
}

decoder::HeardLanguages Recognizer::hear_languages(const models::EncoderStates& states) {
  decoder_.cross_kv(states, heard_);
  return decoder::hear_languages(decoder_, *cache_, vocabulary(), heard_);
}

std::vector<decoder::Decoded> Recognizer::decode(std::span<const DecodeJob> jobs) {
  std::size_t needed = 0;
  for (const DecodeJob& job : jobs) needed += decoder::n_sequences(job.options);
  if (cache_->n_sequences() < needed)
    cache_ = std::make_unique<decoder::KvCache>(dims(), needed, model_->precision());
  std::vector<decoder::DecodingTask> tasks;
  std::size_t first_sequence = 0;
  for (const DecodeJob& job : jobs) {
    tasks.emplace_back(dims(), vocabulary(), job.options);
    tasks.back().begin(*cache_, first_sequence, windows_.at(job.slot));
    first_sequence += decoder::n_sequences(job.options);
  }
  decoder::run(decoder_, *cache_, tasks, should_stop_);
  std::vector<decoder::Decoded> results;
  results.reserve(tasks.size());
  for (const decoder::DecodingTask& task : tasks) results.push_back(task.result());
  return results;
}

std::vector<decoder::WordTiming> Recognizer::align(
    const DecodeJob& job, std::span<const std::vector<models::TokenId>> texts,
    std::size_t n_frames) {
  // timing.py find_alignment: always the sequence with timestamps, then no_timestamps.
  decoder::DecodeOptions timed = job.options;
  timed.without_timestamps = false;
  const auto sot = decoder::sot_sequence(vocabulary(), timed);
  if (timed.task == decoder::Task::translate) timed.language = "en";  // of the text
  return decoder::find_alignment(decoder_, *cache_, vocabulary(), model_->alignment_heads(),
                                 {texts, n_frames, timed.language, &windows_.at(job.slot), sot});
}

}  // namespace wnpu::app
