#include "tests/nano/nano_model.h"

#include <cmath>
#include <random>

#include "models/files/tensor_names.h"

namespace wnpu::tests {
namespace {

using models::TensorSpec;

// Uniform values of at most 10 bits times a power of two near `bound`: exact in float16.
std::vector<float> random_values(std::size_t count, float bound, std::mt19937& random) {
  const int exponent = static_cast<int>(std::floor(std::log2(bound))) - 9;
  std::vector<float> values(count);
  for (float& value : values) {
    const int whole = static_cast<int>(random() % 1023U) - 511;
    value = std::ldexp(static_cast<float>(whole), exponent);
  }
  return values;
}

std::size_t product(const std::vector<std::size_t>& shape) {
  std::size_t count = 1;
  for (const std::size_t extent : shape) count *= extent;
  return count;
}

// Matrices keep the size of what they are applied to; the gains of layer norms lie around 1.
NanoTensor random_tensor(const TensorSpec& spec, std::mt19937& random) {
  NanoTensor tensor{spec.shape, {}};
  const std::size_t count = product(spec.shape);
  const bool is_matrix = spec.shape.size() >= 2;
  const std::size_t inputs = count / spec.shape[0];
  const bool is_embedding = spec.name.find("embedding") != std::string::npos;
  const bool is_gain = !is_matrix && spec.name.ends_with(".weight");
  float bound = is_gain ? 0.5F : 0.25F;
  if (is_matrix && !is_embedding) bound = std::sqrt(3.0F / static_cast<float>(inputs));
  tensor.values = random_values(count, bound, random);
  for (float& value : tensor.values) value += is_gain ? 1.0F : 0.0F;
  return tensor;
}

// 256 single bytes, then pairs of bytes; the multilingual vocabulary ends with an empty token.
std::vector<std::string> synthetic_tokens(const models::Dims& dims) {
  std::vector<std::string> tokens;
  for (std::size_t i = 0; i < dims.n_text_tokens(); ++i) {
    const std::size_t pair = i - 256;
    if (i < 256) {
      tokens.emplace_back(1, static_cast<char>(i));
    } else {
      tokens.push_back({static_cast<char>(pair / 256), static_cast<char>(pair % 256)});
    }
  }
  if (dims.is_multilingual()) tokens.back().clear();
  return tokens;
}

class NanoFile final : public models::ModelFile {
 public:
  explicit NanoFile(const NanoModel& model) {
    path_ = "nano";
    format_ = "memory";
    dims_ = model.dims;
    config_ = model.config;
    token_bytes_ = model.token_bytes;
    for (const auto& [name, tensor] : model.tensors) {
      add_tensor(name,
                 {.dtype = models::DType::f32,
                  .shape = tensor.shape,
                  .bytes = std::as_bytes(std::span(tensor.values))},
                 path_);
    }
  }
};

}  // namespace

models::Dims nano_dims() {
  return {.n_mels = 80,
          .n_audio_ctx = 1500,
          .n_audio_state = 64,
          .n_audio_head = 2,
          .n_audio_layer = 2,
          .n_vocab = 51865,
          .n_text_ctx = 448,
          .n_text_state = 64,
          .n_text_head = 2,
          .n_text_layer = 2};
}

NanoModel make_nano_model(const NanoSpec& spec) {
  NanoModel model;
  model.dims = spec.dims;
  std::mt19937 random(spec.seed);
  for (const TensorSpec& tensor : models::whisper_tensors(spec.dims)) {
    model.tensors.emplace(tensor.name, random_tensor(tensor, random));
  }
  model.token_bytes = synthetic_tokens(spec.dims);
  model.config = {.suppress_tokens = {1, 2, 7},
                  .suppress_tokens_begin = {220, 50256},
                  .alignment_heads = {{0, 0}}};
  return model;
}

std::unique_ptr<models::ModelFile> open_in_memory(const NanoModel& model) {
  return std::make_unique<NanoFile>(model);
}

models::EncoderWeights encoder_weights(const NanoModel& model) {
  return models::load_encoder_weights(*open_in_memory(model));
}

models::DecoderWeights decoder_weights(const NanoModel& model) {
  return models::load_decoder_weights(*open_in_memory(model));
}

}  // namespace wnpu::tests
