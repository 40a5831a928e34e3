// Whisper's audio encoder: LogMel [n_mels, 3000] -> EncoderStates [1500, n_audio_state], or
// fewer rows where the log-mel's padding may be pooled.
#pragma once

#include <functional>
#include <memory>

#include "encoder/layer_backend.h"
#include "encoder/stem_and_norm.h"
#include "encoder/window_encoder.h"
#include "models/base/stages.h"
#include "models/base/thread_pool.h"

namespace wnpu::encoder {

class Encoder final : public WindowEncoder {
 public:
  // All arguments must outlive the encoder. Throws std::invalid_argument where the backend has
  // another number of layers than the ends' dims.
  Encoder(const PackedStemAndNorm& ends, LayerBackend& backend, models::ThreadPool& pool);
  // Keeps the backend.
  Encoder(const PackedStemAndNorm& ends, std::unique_ptr<LayerBackend> backend,
          models::ThreadPool& pool);

  // stem -> pooled padding, where mel has any to pool and the backend takes it -> every layer on
  // the backend -> final layer norm. Throws what the backend throws. Throws std::invalid_argument
  // unless mel is [n_mels, 2 n_audio_ctx]. `should_stop`, where given, is asked before each layer;
  // true ends the work there with models::Stopped.
  void encode(const models::LogMel& mel, models::EncoderStates& out,
              const std::function<bool()>& should_stop = {}) override;

 private:
  StemAndNorm ends_;
  std::unique_ptr<LayerBackend> own_;  // none: another's
  LayerBackend& backend_;
};

}  // namespace wnpu::encoder
