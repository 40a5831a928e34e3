#include "app/recognizer.h"

#include "app/stage_timer.h"
#include "decoder/language.h"
#include "encoder/cpu_layer_backend.h"

namespace wnpu::app {

Recognizer::Recognizer(const std::filesystem::path& model, std::size_t n_threads,
                       const EncoderDevice& device)
    : file_(models::open_model(model)),
      vocabulary_(file_->token_bytes(), file_->dims(), file_->path()),
      pool_(n_threads),
      encoder_pool_(device.npu != nullptr ? std::make_unique<models::ThreadPool>(n_threads)
                                          : nullptr),
      npu_(device.npu),
      precision_(device.cpu_precision),
      encoder_weights_(npu_ != nullptr
                           ? models::load_encoder_weights(*file_)
                           : models::EncoderWeights{models::load_encoder_ends(*file_), {}}),
      backend_(make_backend(device)),
      encoder_(make_encoder()),
      decoder_(dims(), models::find_decoder_weights(*file_), pool_, precision_),
      falls_back_(device.falls_back),
      alignment_heads_(decoder::alignment_heads(dims(), file_->config())),
      cache_(std::make_unique<decoder::KvCache>(dims(), 1, precision_)) {}

void Recognizer::set_should_stop(std::function<bool()> should_stop) {
  if (npu_ != nullptr) npu_->set_should_stop(should_stop);
  should_stop_ = std::move(should_stop);
}

std::unique_ptr<encoder::LayerBackend> Recognizer::make_backend(const EncoderDevice& device) {
  if (device.npu == nullptr) {
    encoder_weights_.layers.clear();  // nothing takes over from the CPU, which reads the file
    return encoder::make_cpu_backend(precision_, dims(), models::find_encoder_layers(*file_),
                                     encoder_pool());
  }
  return encoder::make_npu_backend(*device.npu, dims(), encoder_weights_, encoder_pool(),
                                   device.options);
}

std::unique_ptr<encoder::Encoder> Recognizer::make_encoder() {
  return std::make_unique<encoder::Encoder>(dims(), encoder_weights_, *backend_, encoder_pool(),
                                            precision_);
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
  encoder_ = make_encoder();
  n_encoded_ = 0;
  return encoder_->encode(mel, states, should_stop_);
}

bool Recognizer::encode(const models::LogMel& mel, models::EncoderStates& states) {
  if (!encode_or_fall_back(mel, states)) return false;
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
  return decoder::language_probabilities(decoder_, *cache_, vocabulary_, windows_.at(slot));
}

std::optional<std::vector<decoder::Decoded>> Recognizer::decode(std::span<const DecodeJob> jobs) {
  std::size_t needed = 0;
  for (const DecodeJob& job : jobs) needed += decoder::n_sequences(job.options);
  if (cache_->n_sequences() < needed)
    cache_ = std::make_unique<decoder::KvCache>(dims(), needed, precision_);
  std::vector<decoder::DecodingTask> tasks;
  std::size_t first_sequence = 0;
  for (const DecodeJob& job : jobs) {
    tasks.emplace_back(dims(), vocabulary_, job.options);
    tasks.back().begin(*cache_, first_sequence, windows_.at(job.slot));
    first_sequence += decoder::n_sequences(job.options);
  }
  if (!decoder::run(decoder_, *cache_, tasks, should_stop_)) return std::nullopt;
  std::vector<decoder::Decoded> results;
  results.reserve(tasks.size());
  for (const decoder::DecodingTask& task : tasks) results.push_back(task.result());
  return results;
}

std::vector<decoder::WordTiming> Recognizer::align(const DecodeJob& job,
                                                   std::span<const models::TokenId> text,
                                                   std::size_t n_frames) {
  // timing.py find_alignment: always the sequence with timestamps, then no_timestamps.
  decoder::DecodeOptions timed = job.options;
  timed.without_timestamps = false;
  const auto sot = decoder::sot_sequence(vocabulary_, timed);
  return decoder::find_alignment(decoder_, *cache_, vocabulary_, alignment_heads_,
                                 {text, n_frames, timed.language, &windows_.at(job.slot), sot});
}

}  // namespace wnpu::app
