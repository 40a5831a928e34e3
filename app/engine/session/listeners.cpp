#include "app/engine/session/listeners.h"

#include "app/engine/model_path.h"

namespace wnpu::app {

Listeners ListenerSet::load(const TranscribeOptions& options, std::size_t n_threads) {
  return {.vad = load_vad(options.vad, n_threads), .speakers = load_speakers(options.speakers)};
}

audio::VadThread* ListenerSet::load_vad(const VadOptions& options, std::size_t n_threads) {
  if (!options.enabled) return nullptr;
  const std::string weights =
      options.weights.empty() ? vad_weights_file().string() : options.weights;
  if (!vad_ || vad_weights_ != weights) {
    vad_ = std::make_unique<audio::VadThread>(weights, n_threads > 1);
    vad_weights_ = weights;
  }
  return vad_.get();
}

const audio::SpeakerModel* ListenerSet::load_speakers(const SpeakerOptions& options) {
  if (!options.enabled) return nullptr;
  const std::string weights =
      options.weights.empty() ? speaker_model_folder().string() : options.weights;
  if (!speakers_ || speaker_weights_ != weights) {
    speakers_.emplace(audio::SpeakerModel::open(weights));
    speaker_weights_ = weights;
  }
  return &*speakers_;
}

}  // namespace wnpu::app
