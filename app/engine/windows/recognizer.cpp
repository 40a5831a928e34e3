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
      cache_(dims(), 0, model_->precision()),
      scheduler_(decoder_, cache_, vocabulary()) {}

void Recognizer::set_should_stop(std::function<bool()> should_stop) {
  encoder_.set_should_stop(should_stop);
  pool_.set_should_stop(std::move(should_stop));
}

void Recognizer::keep(std::size_t slot, const models::EncoderStates& states) {
  if (windows_.size() <= slot) windows_.resize(slot + 1);
  decoder_.cross_kv(states, windows_[slot]);
}

void Recognizer::admit(const DecodeJob& job) {
  scheduler_.admit(job.slot, job.options, windows_.at(job.slot));
}

decoder::HeardLanguages Recognizer::hear_languages(const models::EncoderStates& states,
                                                   decoder::CrossKv& room) {
  decoder_.cross_kv(states, room);
  return decoder::hear_languages(decoder_, cache_, vocabulary(), room);
}

std::vector<decoder::WordTiming> Recognizer::align(
    const DecodeJob& job, std::span<const std::vector<models::TokenId>> texts, std::size_t n_frames,
    bool wants_probabilities) {
  // timing.py find_alignment: always the sequence with timestamps, then no_timestamps.
  decoder::DecodeOptions timed = job.options;
  timed.without_timestamps = false;
  const auto sot = decoder::sot_sequence(vocabulary(), timed);
  if (timed.task == decoder::Task::translate) timed.language = "en";  // of the text
  return decoder::find_alignment(
      decoder_, cache_, vocabulary(), model_->alignment_heads(),
      {texts, n_frames, timed.language, &windows_.at(job.slot), sot, wants_probabilities});
}

}  // namespace wnpu::app
