#include "app/engine/recognizer.h"

#include "app/engine/stage_timer.h"
#include "decoder/search/language.h"
#include "models/base/stopped.h"

namespace wnpu::app {

Recognizer::Recognizer(std::shared_ptr<const LoadedModel> model, std::size_t n_threads,
                       const EncoderDevice& device)
    : model_(std::move(model)),
      pool_(n_threads),
      encoder_pool_(device.npu != nullptr ? std::make_unique<models::ThreadPool>(n_threads)
                                          : nullptr),
      npu_(device.npu),
      backend_(make_backend(device)),
      encoder_(
          std::make_unique<encoder::Encoder>(model_->encoder_ends(), *backend_, encoder_pool())),
      decoder_(model_->decoder(), pool_),
      falls_back_(device.falls_back),
      cache_(std::make_unique<decoder::KvCache>(dims(), 1, model_->precision())) {}

void Recognizer::set_should_stop(std::function<bool()> should_stop) {
  if (npu_ != nullptr) npu_->set_should_stop(should_stop);
  pool_.set_should_stop(should_stop);
  if (encoder_pool_) encoder_pool_->set_should_stop(should_stop);
  should_stop_ = std::move(should_stop);
}

std::unique_ptr<encoder::LayerBackend> Recognizer::make_backend(const EncoderDevice& device) {
  if (device.npu == nullptr) return model_->cpu_layers().make_backend(encoder_pool());
  return encoder::make_npu_backend(*device.npu, dims(), model_->device_layers(), encoder_pool(),
                                   device.options);
}

// A device that fails in the middle of a file is the one failure that may be survived, and only
// where the user said so: this is where it is caught.
bool Recognizer::encode_or_fall_back(const models::LogMel& mel, models::EncoderStates& states) {
  try {
    return encoder_->encode(mel, states, should_stop_);
  } catch (const npu::Stopped&) {
    return false;
  } catch (const npu::DeviceError& error) {
    if (!falls_back_) throw;
    fallback_ = error.what();
  }
  encoder_.reset();
  backend_ = make_backend({});
  encoder_ = std::make_unique<encoder::Encoder>(model_->encoder_ends(), *backend_, encoder_pool());
  n_encoded_ = 0;
  return encoder_->encode(mel, states, should_stop_);
}

bool Recognizer::encode(const models::LogMel& mel, models::EncoderStates& states) {
  try {
    if (!encode_or_fall_back(mel, states)) return false;
  } catch (const models::Stopped&) {
    return false;
  }
  ++n_encoded_;
  return true;
}

bool Recognizer::encode(std::size_t slot, const models::LogMel& mel, Timing* timing) {
  Timing ignored;
  Timing& times = timing != nullptr ? *timing : ignored;
  {
    StageTimer timer(times.encode);
    if (!encode(mel, states_)) return false;
  }
  StageTimer timer(times.decode);
  keep(slot, states_);
  return true;
}

void Recognizer::keep(std::size_t slot, const models::EncoderStates& states) {
  if (windows_.size() <= slot) windows_.resize(slot + 1);
  decoder_.cross_kv(states, windows_[slot]);
}

std::vector<std::pair<std::string, double>> Recognizer::language_probabilities(std::size_t slot) {
  return decoder::language_probabilities(decoder_, *cache_, vocabulary(), windows_.at(slot));
}

std::optional<std::vector<decoder::Decoded>> Recognizer::decode(std::span<const DecodeJob> jobs) {
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
  try {
    if (!decoder::run(decoder_, *cache_, tasks, should_stop_)) return std::nullopt;
  } catch (const models::Stopped&) {
    return std::nullopt;
  }
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
  return decoder::find_alignment(decoder_, *cache_, vocabulary(), model_->alignment_heads(),
                                 {texts, n_frames, timed.language, &windows_.at(job.slot), sot});
}

}  // namespace wnpu::app
