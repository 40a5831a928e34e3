#include "app/engine/session/speech_detector.h"

#include "app/engine/model_path.h"

namespace wnpu::app {

audio::VadThread* SpeechDetector::load(const VadOptions& options, std::size_t n_threads) {
  if (!options.enabled) return nullptr;
  const std::string weights =
      options.weights.empty() ? vad_weights_file().string() : options.weights;
  if (!vad_ || weights_ != weights) {
    vad_ = std::make_unique<audio::VadThread>(weights, n_threads > 1);
    weights_ = weights;
  }
  return vad_.get();
}

}  // namespace wnpu::app
