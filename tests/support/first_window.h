// The first 30 s of a recording on the CPU, in fp32: spectrogram and encoder states.
#pragma once

#include <filesystem>

#include "audio/mel/mel_source.h"
#include "encoder/cpu/cpu_layer_backend.h"
#include "encoder/encoder.h"
#include "models/base/stages.h"
#include "models/files/model_file.h"
#include "models/weights/weights.h"

namespace wnpu::tests {

inline models::LogMel first_window(const std::filesystem::path& recording, std::size_t n_mels) {
  models::LogMel mel;
  audio::MelSource({recording, {}}, n_mels).window(0, mel);
  return mel;
}

// In which the language is detected: with silence behind the audio.
inline models::LogMel first_window_with_silence(const std::filesystem::path& recording,
                                                std::size_t n_mels) {
  models::LogMel mel;
  audio::MelSource({recording, {}}, n_mels).window(0, mel, audio::MelSource::Padding::silence);
  return mel;
}

inline models::EncoderStates encoded_window(const models::LogMel& mel,
                                            const models::ModelFile& file) {
  const models::Dims& dims = file.dims();
  const auto weights = models::load_encoder_weights(file);
  models::ThreadPool pool(2);
  const encoder::CpuLayers layers(models::Precision::fp32, dims, models::tensors_of(weights.layers),
                                  pool);
  const auto backend = layers.make_backend(pool);
  const encoder::PackedStemAndNorm ends(dims, weights, pool);
  encoder::Encoder encoder(ends, *backend, pool);
  models::EncoderStates states;
  encoder.encode(mel, states);
  return states;
}

inline models::EncoderStates encoded_window(const std::filesystem::path& recording,
                                            const models::ModelFile& file) {
  return encoded_window(first_window(recording, file.dims().n_mels), file);
}

}  // namespace wnpu::tests
