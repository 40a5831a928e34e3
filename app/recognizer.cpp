#include "app/recognizer.h"

#include "decoder/language.h"
#include "encoder/cpu_layer_backend.h"

namespace wnpu::app {

Recognizer::Recognizer(const std::filesystem::path& model, std::size_t n_threads)
    : file_(models::open_model(model)),
      vocabulary_(file_->token_bytes(), file_->dims(), file_->path()),
      pool_(n_threads),
      encoder_weights_(models::load_encoder_weights(*file_)),
      decoder_weights_(models::load_decoder_weights(*file_)),
      backend_(std::make_unique<encoder::CpuLayerBackend>(dims(), encoder_weights_, pool_)),
      encoder_(dims(), encoder_weights_, *backend_, pool_),
      decoder_(dims(), decoder_weights_, pool_),
      alignment_heads_(decoder::alignment_heads(dims(), file_->config())),
      cache_(std::make_unique<decoder::KvCache>(dims(), 1)) {}

bool Recognizer::encode(const models::LogMel& mel) {
  if (!encoder_.encode(mel, states_, should_stop_)) return false;
  decoder_.cross_kv(states_, window_);
  return true;
}

std::vector<std::pair<std::string, double>> Recognizer::language_probabilities() {
  return decoder::language_probabilities(decoder_, *cache_, vocabulary_, window_);
}

std::optional<decoder::Decoded> Recognizer::decode(const decoder::DecodeOptions& options) {
  const std::size_t needed = decoder::n_sequences(options);
  if (cache_->n_sequences() < needed) cache_ = std::make_unique<decoder::KvCache>(dims(), needed);
  decoder::DecodingTask task(dims(), vocabulary_, options);
  task.begin(*cache_, 0, window_);
  if (!decoder::run(decoder_, *cache_, {&task, 1}, should_stop_)) return std::nullopt;
  return task.result();
}

std::vector<decoder::WordTiming> Recognizer::align(const decoder::DecodeOptions& options,
                                                   std::span<const models::TokenId> text,
                                                   std::size_t n_frames) {
  // timing.py find_alignment: always the sequence with timestamps, then no_timestamps.
  decoder::DecodeOptions timed = options;
  timed.without_timestamps = false;
  const auto sot = decoder::sot_sequence(vocabulary_, timed);
  return decoder::find_alignment(decoder_, *cache_, vocabulary_, alignment_heads_,
                                 {text, n_frames, options.language, &window_, sot});
}

}  // namespace wnpu::app
