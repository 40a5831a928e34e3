// pyannote segmentation-3.0: who of at most three speakers talks when in 10 s of audio
// (https://huggingface.co/pyannote/segmentation-3.0, MIT): SincNet, four bidirectional LSTM layers,
// three linear ones.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "audio/speakers/layers.h"
#include "audio/speakers/state_dict.h"
#include "models/base/tensor.h"
#include "models/kernels/products/linear.h"

namespace wnpu::audio {

class SegmentationNet {
 public:
  static constexpr std::size_t kWindowSamples = 160000;
  static constexpr std::size_t kFrames = 589;        // of a window
  static constexpr std::size_t kFrameSamples = 270;  // from one to the next
  static constexpr std::size_t kFirstSample = 360;   // where the first frame's share begins
  static constexpr std::size_t kSpeakers = 3;
  static constexpr std::size_t kClasses = 7;

  // Speakers of a class, a bit each: none, one, or two of them.
  static constexpr std::array<std::uint8_t, kClasses> kSpeakersOf = {0, 1, 2, 4, 3, 5, 6};
  using Frames = std::array<std::uint8_t, kFrames>;  // bits of kSpeakersOf

  // Large products are in `number`: f32 or u8. Throws ModelError.
  explicit SegmentationNet(const StateDict& weights, kernels::DataType number = quick_number());

  // Windows of kWindowSamples each, on one thread; several at once are faster. A window's result
  // does not depend on the others.
  std::vector<Frames> speakers(std::span<const std::span<const float>> windows) const;
  // Scores before the choice of a class: [kFrames * windows, kClasses], a frame's windows one
  // behind the other.
  models::Matrix scores(std::span<const std::span<const float>> windows) const;

 private:
  struct Direction {
    kernels::Linear input;   // [in, 512]: input, forget, cell, output gate
    kernels::Linear hidden;  // [128, 512]
  };
  struct Convolution {
    kernels::Linear weights;  // [taps * in, out]
    ChannelAffine norm;       // of the instance normalisation behind it
  };

  void load_lstm(const StateDict& weights, kernels::DataType number);
  // Features [kFrames, 60] of one window.
  models::Matrix features(std::span<const float> window) const;
  // `gates`: memory for sums, [rows of x, 512].
  static void run_lstm(const Direction& direction, bool is_backward, models::ConstMatrixView x,
                       models::MatrixView gates, models::MatrixView y);

  float wave_scale_ = 0;
  float wave_shift_ = 0;
  std::array<Convolution, 3> convolutions_;
  std::vector<std::array<Direction, 2>> lstm_;  // by layer; forward and backward
  std::array<kernels::Linear, 3> linear_;
};

}  // namespace wnpu::audio
