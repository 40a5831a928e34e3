#include "encoder/encoder.h"

#include <stdexcept>
#include <string>

#include "models/base/stopped.h"
#include "models/kernels/vectors/ops.h"

namespace wnpu::encoder {

Encoder::Encoder(const PackedEnds& ends, LayerBackend& backend, models::ThreadPool& pool)
    : ends_(ends), backend_(backend), pool_(pool), stem_(ends, pool.n_threads()) {
  if (backend.n_layers() != ends.dims.n_audio_layer) {
    throw std::invalid_argument("encoder: expected a backend of " +
                                std::to_string(ends.dims.n_audio_layer) + " layers, found " +
                                std::to_string(backend.n_layers()));
  }
}

void Encoder::encode(const models::LogMel& mel, models::EncoderStates& out,
                     const std::function<bool()>& should_stop) {
  const models::Dims& dims = ends_.dims;
  if (mel.values.rows() != dims.n_mels || mel.values.cols() != dims.n_mel_frames()) {
    throw std::invalid_argument("encoder: expected log-mel [" + std::to_string(dims.n_mels) + ", " +
                                std::to_string(dims.n_mel_frames()) + "], found [" +
                                std::to_string(mel.values.rows()) + ", " +
                                std::to_string(mel.values.cols()) + "]");
  }
  if (out.values.rows() != dims.n_audio_ctx || out.values.cols() != dims.n_audio_state) {
    out.values = models::Matrix(dims.n_audio_ctx, dims.n_audio_state);
  }
  const models::MatrixView states = out.values.view();
  stem_.run(pool_, mel, states);
  backend_.load(states);
  for (std::size_t layer = 0; layer < backend_.n_layers(); ++layer) {
    if (should_stop && should_stop()) throw models::Stopped();
    backend_.run_layer(layer);
  }
  backend_.store(states);
  kernels::layer_norm(pool_, states, ends_.ln_post, states);
}

}  // namespace wnpu::encoder
