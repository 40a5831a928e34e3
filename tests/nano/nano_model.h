// A small Whisper with seeded random weights, made in memory: whole stages without downloads.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "models/files/model_file.h"
#include "models/weights/weights.h"

namespace wnpu::tests {

// 2 + 2 layers, width 64, 2 heads, a window of 1500 positions, the multilingual vocabulary's size.
models::Dims nano_dims();

struct NanoSpec {
  models::Dims dims = nano_dims();
  std::uint32_t seed = 1;
};

struct NanoTensor {
  std::vector<std::size_t> shape;
  std::vector<float> values;  // each exactly a float16
};

struct NanoModel {
  models::Dims dims;
  std::map<std::string, NanoTensor> tensors;  // by openai/whisper's names
  std::vector<std::string> token_bytes;       // single bytes, then pairs: any text can be encoded
  models::ModelConfig config;
};

NanoModel make_nano_model(const NanoSpec& spec = {});

// The model as if it had been read from a file; `model` must outlive it.
std::unique_ptr<models::ModelFile> open_in_memory(const NanoModel& model);
models::EncoderWeights encoder_weights(const NanoModel& model);
models::DecoderWeights decoder_weights(const NanoModel& model);

}  // namespace wnpu::tests
