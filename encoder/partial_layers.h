// Layers that several devices compute together: each has some heads, with their part of the out
// projection, and some hidden columns of every layer.
#pragma once

#include <cstddef>

#include "models/base/tensor.h"

namespace wnpu::encoder {

// The two residual blocks of a layer.
enum class Half { attention, mlp };

class PartialLayers {
 public:
  virtual ~PartialLayers() = default;

  virtual std::size_t n_layers() const = 0;

  // Its share of what the half adds to the states: `sum` becomes that, both [n_frames,
  // n_audio_state]. The shares of all parts, biases included once, are the whole.
  virtual void run_half(std::size_t layer, Half half, models::ConstMatrixView states,
                        models::MatrixView sum) = 0;
};

}  // namespace wnpu::encoder
