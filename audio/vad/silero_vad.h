// Voice activity: the probability of speech in each 32 ms of 16 kHz audio, by the Silero VAD
// network (https://github.com/snakers4/silero-vad, version 6, MIT licence; its 16 kHz weights come
// with the PyPI package silero-vad as silero_vad_16k.safetensors).
//
// The network: an STFT (256 samples under a Hann window, hop 128) on 576 samples, of which 64 are
// the block before's; four convolutions; an LSTM cell of width 128; a sigmoid.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

#include "audio/vad/hann_stft.h"
#include "models/base/tensor.h"
#include "models/kernels/products/linear.h"

namespace wnpu::audio {

class SileroVad {
 public:
  static constexpr std::size_t kBlockSamples = 512;  // 32 ms

  // Reads silero_vad_16k.safetensors. Throws ModelError, also where a weight is NaN or infinite.
  explicit SileroVad(const std::filesystem::path& weights);

  // Takes the next samples, any number, of one stream.
  void push(std::span<const float> samples);
  // Probabilities of the whole blocks since the last take(); one at once costs more than many.
  std::vector<float> take();
  // Ends the stream: a last block is filled up with zeros. The detector is then ready for another.
  // Probability of speech for each block of 512 samples.
  std::vector<float> finish();

 private:
  // Taps of a convolution's three that see more than the zeros around a block.
  struct Taps {
    std::size_t first, count;
  };
  struct Convolution {
    kernels::Linear weights;  // [taps in, out], the taps' inputs one behind the other
    std::size_t stride;
    Taps taps;
    std::size_t frames_in, frames_out;  // of a block
    models::Matrix seen;                // [blocks * frames_out, taps in]
    models::Matrix y;                   // [blocks * frames_out, out]
  };

  static Taps taps_that_see(std::size_t frames, std::size_t stride);
  // Runs the whole blocks that have come together.
  void run(std::size_t n_blocks);
  // Magnitudes of the STFT: [n_blocks * 4, 129].
  models::ConstMatrixView spectra(std::size_t n_blocks);
  static void see(const Convolution& conv, models::ConstMatrixView x, std::size_t r,
                  std::span<float> seen);
  static models::ConstMatrixView convolve(Convolution& conv, models::ConstMatrixView x);
  void run_lstm(models::ConstMatrixView features);

  HannStft stft_;
  models::Matrix magnitudes_;  // [blocks * 4, 129]
  std::vector<Convolution> convolutions_;
  kernels::Linear input_gates_;       // [128, 512]: input, forget, cell, output gate
  kernels::Linear hidden_gates_;      // [128, 512]
  std::vector<float> output_weight_;  // [128]
  float output_bias_ = 0;

  models::Matrix gates_;        // [blocks, 512]
  std::vector<float> pending_;  // 64 samples of context, then samples not run yet
  std::vector<float> hidden_;   // [128]
  std::vector<float> cell_;     // [128]
  std::vector<float> probabilities_;
};

}  // namespace wnpu::audio
