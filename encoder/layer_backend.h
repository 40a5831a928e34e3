// The only thing Encoder knows about where a layer runs.
#pragma once

#include <cstddef>

#include "models/base/stages.h"
#include "models/base/tensor.h"

namespace wnpu::encoder {

// Runs the transformer layers of one window. The states stay with the backend between load and
// store: on an NPU they stay in device memory from the first layer to the last.
class LayerBackend {
 public:
  virtual ~LayerBackend() = default;

  // Layers that this backend runs: all of the model, or a range of them.
  virtual std::size_t n_layers() const = 0;

  // Whether windows may have pooled padding: fewer rows, some of which attention counts as several.
  virtual bool takes_pooled() const { return false; }
  // Before load(), where takes_pooled(): what of the next windows is pooled.
  virtual void set_pooled(const models::PooledPadding& /*pooled*/) {}
  // Takes the states [n_frames, n_audio_state] of a new window.
  virtual void load(models::ConstMatrixView states) = 0;
  // states += attention(layer_norm(states)); states += mlp(layer_norm(states)), with layer's
  // weights. layer < n_layers(); load() comes first.
  virtual void run_layer(std::size_t layer) = 0;
  // Writes the states [n_frames, n_audio_state] as they are now.
  virtual void store(models::MatrixView states) = 0;
};

}  // namespace wnpu::encoder
