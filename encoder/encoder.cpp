#include "encoder/encoder.h"

#include <stdexcept>
#include <string>
#include <utility>

#include "encoder/pooled_padding.h"
#include "models/base/error.h"

namespace wnpu::encoder {

Encoder::Encoder(const PackedStemAndNorm& ends, LayerBackend& backend, models::ThreadPool& pool)
    : ends_(ends, pool), backend_(backend) {
  if (backend.n_layers() != ends.dims.n_audio_layer) {
    throw std::invalid_argument("encoder: expected a backend of " +
                                std::to_string(ends.dims.n_audio_layer) + " layers, found " +
                                std::to_string(backend.n_layers()));
  }
}

Encoder::Encoder(const PackedStemAndNorm& ends, std::unique_ptr<LayerBackend> backend,
                 models::ThreadPool& pool)
    : Encoder(ends, *backend, pool) {
  own_ = std::move(backend);
}

void Encoder::encode(const models::LogMel& mel, models::EncoderStates& out,
                     const std::function<bool()>& should_stop) {
  ends_.begin(mel, out);
  if (backend_.takes_pooled()) {
    if (mel.poolable_from) pool_padding(*mel.poolable_from, out);
    backend_.set_pooled(out.pooled);
  }
  const models::MatrixView states = out.values.view();
  backend_.load(states);
  for (std::size_t layer = 0; layer < backend_.n_layers(); ++layer) {
    if (should_stop && should_stop()) throw models::Stopped();
    backend_.run_layer(layer);
  }
  backend_.store(states);
  ends_.end(out);
}

}  // namespace wnpu::encoder
