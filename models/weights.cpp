#include "models/weights.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "models/error.h"
#include "models/half_floats.h"

namespace wnpu::models {
namespace {

class Loader {
 public:
  explicit Loader(const ModelFile& file) : file_(file) {}

  // [shape[0], product of the others]
  Matrix matrix(const std::string& name, const std::vector<std::size_t>& shape) const {
    const TensorView& tensor = file_.tensor(name, shape);
    Matrix values = Matrix::uninitialised(shape[0], tensor.size() / shape[0]);
    fill(name, tensor, values.flat());
    return values;
  }

  std::vector<float> vector(const std::string& name, std::size_t size) const {
    const TensorView& tensor = file_.tensor(name, std::vector<std::size_t>{size});
    std::vector<float> values(size);
    fill(name, tensor, values);
    return values;
  }

  Linear linear(const std::string& name, const std::vector<std::size_t>& shape) const {
    return {matrix(name + ".weight", shape), vector(name + ".bias", shape[0])};
  }

  LayerNorm layer_norm(const std::string& name, std::size_t width) const {
    return {vector(name + ".weight", width), vector(name + ".bias", width)};
  }

  AttentionWeights attention(const std::string& name, std::size_t width) const {
    return {.query = linear(name + ".query", {width, width}),
            .key = {matrix(name + ".key.weight", {width, width}), {}},
            .value = linear(name + ".value", {width, width}),
            .out = linear(name + ".out", {width, width})};
  }

 private:
  void fill(const std::string& name, const TensorView& tensor, std::span<float> out) const {
    dequantize(tensor, out);
    if (all_finite(out)) return;
    const auto bad = std::ranges::find_if_not(out, [](float v) { return std::isfinite(v); });
    throw ModelError(file_.path() + ": " + name + ": expected finite values, found " +
                     std::to_string(*bad) + " at element " + std::to_string(bad - out.begin()));
  }

  const ModelFile& file_;
};

EncoderLayerWeights encoder_layer(const Loader& load, const std::string& block, std::size_t width) {
  return {.attn_ln = load.layer_norm(block + ".attn_ln", width),
          .attn = load.attention(block + ".attn", width),
          .mlp_ln = load.layer_norm(block + ".mlp_ln", width),
          .mlp_0 = load.linear(block + ".mlp.0", {4 * width, width}),
          .mlp_2 = load.linear(block + ".mlp.2", {width, 4 * width})};
}

DecoderLayerWeights decoder_layer(const Loader& load, const std::string& block, std::size_t width) {
  return {.attn_ln = load.layer_norm(block + ".attn_ln", width),
          .attn = load.attention(block + ".attn", width),
          .cross_attn_ln = load.layer_norm(block + ".cross_attn_ln", width),
          .cross_attn = load.attention(block + ".cross_attn", width),
          .mlp_ln = load.layer_norm(block + ".mlp_ln", width),
          .mlp_0 = load.linear(block + ".mlp.0", {4 * width, width}),
          .mlp_2 = load.linear(block + ".mlp.2", {width, 4 * width})};
}

}  // namespace

EncoderWeights load_encoder_weights(const ModelFile& file) {
  const Loader load(file);
  const Dims& dims = file.dims();
  const std::size_t width = dims.n_audio_state;
  EncoderWeights weights;
  weights.conv1 = load.linear("encoder.conv1", {width, dims.n_mels, 3});
  weights.conv2 = load.linear("encoder.conv2", {width, width, 3});
  weights.positional_embedding =
      load.matrix("encoder.positional_embedding", {dims.n_audio_ctx, width});
  for (std::size_t i = 0; i < dims.n_audio_layer; ++i) {
    weights.layers.push_back(encoder_layer(load, "encoder.blocks." + std::to_string(i), width));
  }
  weights.ln_post = load.layer_norm("encoder.ln_post", width);
  return weights;
}

DecoderWeights load_decoder_weights(const ModelFile& file) {
  const Loader load(file);
  const Dims& dims = file.dims();
  const std::size_t width = dims.n_text_state;
  DecoderWeights weights;
  weights.token_embedding = load.matrix("decoder.token_embedding.weight", {dims.n_vocab, width});
  weights.positional_embedding =
      load.matrix("decoder.positional_embedding", {dims.n_text_ctx, width});
  for (std::size_t i = 0; i < dims.n_text_layer; ++i) {
    weights.layers.push_back(decoder_layer(load, "decoder.blocks." + std::to_string(i), width));
  }
  weights.ln = load.layer_norm("decoder.ln", width);
  return weights;
}

}  // namespace wnpu::models
