// Voice activity: the probability of speech in each 32 ms of 16 kHz audio, by the Silero VAD
// network (https://github.com/snakers4/silero-vad, version 6, MIT licence; its 16 kHz weights come
// with the PyPI package silero-vad as silero_vad_16k.safetensors).
//
// The network: a learned STFT (256 samples, hop 128) on 576 samples, of which 64 are the block
// before's; four convolutions; an LSTM cell of width 128; a sigmoid.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

#include "models/packed_matrix.h"
#include "models/tensor.h"

namespace wnpu::audio {

class SileroVad {
 public:
  static constexpr std::size_t kBlockSamples = 512;  // 32 ms

  // Reads silero_vad_16k.safetensors. Throws ModelError.
  explicit SileroVad(const std::filesystem::path& weights);

  // Takes the next samples, any number, of one stream.
  void push(std::span<const float> samples);
  // Ends the stream: a last block is filled up with zeros. The detector is then ready for another.
  // Probability of speech for each block of 512 samples.
  std::vector<float> finish();

 private:
  struct Convolution {
    models::PackedLinear weights;  // [3 in, out], the taps' inputs one behind the other
    std::size_t stride;
  };

  // Runs the whole blocks that have come together.
  void run(std::size_t n_blocks);
  models::Matrix spectra(std::size_t n_blocks);
  static models::Matrix convolve(const Convolution& conv, const models::Matrix& x,
                                 std::size_t per_block);
  void run_lstm(const models::Matrix& features);

  models::PackedLinear stft_;  // [256, 258]: real parts, then imaginary parts
  std::vector<Convolution> convolutions_;
  models::PackedLinear input_gates_;   // [128, 512]: input, forget, cell, output gate
  models::PackedLinear hidden_gates_;  // [128, 512]
  std::vector<float> output_weight_;   // [128]
  float output_bias_ = 0;

  std::vector<float> pending_;  // 64 samples of context, then samples not run yet
  std::vector<float> hidden_;   // [128]
  std::vector<float> cell_;     // [128]
  std::vector<float> probabilities_;
};

}  // namespace wnpu::audio
