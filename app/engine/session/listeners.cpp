#include "app/engine/session/listeners.h"

#include <filesystem>

#include "app/engine/model_path.h"
#include "models/base/error.h"

namespace wnpu::app {

audio::SpeakerModel open_speaker_model(const std::string& folder) {
  const std::filesystem::path weights =
      folder.empty() ? speaker_model_folder() : std::filesystem::path(folder);
  std::error_code error;
  if (!std::filesystem::exists(weights, error)) {
    throw models::ModelError(weights.string() +
                             ": expected the networks that tell speakers apart, found no folder "
                             "(whisper-npu models pull speakers fetches them)");
  }
  return audio::SpeakerModel::open(weights);
}

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
  if (!speakers_ || speaker_weights_ != options.weights) {
    speakers_.emplace(open_speaker_model(options.weights));
    speaker_weights_ = options.weights;
  }
  return &*speakers_;
}

}  // namespace wnpu::app
