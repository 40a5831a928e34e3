#include "models/weights/weights.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <string>
#include <type_traits>

#include "models/base/error.h"
#include "models/kernels/vectors/half_floats.h"

namespace wnpu::models {
namespace {

// Also where most elements are not: the embedding alone may be more than all layers.
bool has_int8(const ModelFile& file) {
  return std::ranges::any_of(
      file.tensors(), [](const auto& tensor) { return tensor.second.dtype == DType::i8_rows; });
}

// Weights: what becomes of the matrices of linear layers and of the embedding.
template <typename Weights>
class Loader {
 public:
  explicit Loader(const ModelFile& file) : file_(file), is_int8_(has_int8(file)) {}

  WeightTensor tensor(const std::string& name, const std::vector<std::size_t>& shape) const {
    const TensorView& view = file_.tensor(name, shape);
    return {view, file_.path() + ": " + name, name, file_.operands(),
            is_int8_ && view.dtype != DType::i8_rows};
  }

  // [shape[0], product of the others]
  Matrix matrix(const std::string& name, const std::vector<std::size_t>& shape) const {
    const WeightTensor found = tensor(name, shape);
    Matrix values = Matrix::uninitialised(shape[0], found.view.row_size());
    read_finite(found, values.flat());
    release(found.view);
    return values;
  }

  std::vector<float> vector(const std::string& name, std::size_t size) const {
    std::vector<float> values(size);
    read_finite(tensor(name, {size}), values);
    return values;
  }

  Weights weights(const std::string& name, const std::vector<std::size_t>& shape) const {
    if constexpr (std::is_same_v<Weights, Matrix>) {
      return matrix(name, shape);
    } else {
      return tensor(name, shape);
    }
  }

  LinearOf<Weights> linear(const std::string& name, const std::vector<std::size_t>& shape) const {
    return {weights(name + ".weight", shape), vector(name + ".bias", shape[0])};
  }

  LinearOf<Weights> linear_without_bias(const std::string& name,
                                        const std::vector<std::size_t>& shape) const {
    return {weights(name + ".weight", shape), {}};
  }

  kernels::LayerNorm layer_norm(const std::string& name, std::size_t width) const {
    return {vector(name + ".weight", width), vector(name + ".bias", width)};
  }

  // The key comes from a function, not from braces: of a member in braces of its own GCC 12.2
  // destroys what is no constant twice, where a later member's initialiser throws.
  AttentionOf<Weights> attention(const std::string& name, std::size_t width) const {
    return {.query = linear(name + ".query", {width, width}),
            .key = linear_without_bias(name + ".key", {width, width}),
            .value = linear(name + ".value", {width, width}),
            .out = linear(name + ".out", {width, width})};
  }

 private:
  const ModelFile& file_;
  bool is_int8_;
};

template <typename Weights>
EncoderEndsOf<Weights> read_encoder_ends(const ModelFile& file) {
  const Loader<Weights> load(file);
  const Dims& dims = file.dims();
  const std::size_t width = dims.n_audio_state;
  return {.conv1 = load.linear("encoder.conv1", {width, dims.n_mels, 3}),
          .conv2 = load.linear("encoder.conv2", {width, width, 3}),
          .positional_embedding =
              load.matrix("encoder.positional_embedding", {dims.n_audio_ctx, width}),
          .ln_post = load.layer_norm("encoder.ln_post", width)};
}

template <typename Weights>
EncoderLayerOf<Weights> encoder_layer(const Loader<Weights>& load, const std::string& block,
                                      std::size_t width) {
  return {.attn_ln = load.layer_norm(block + ".attn_ln", width),
          .attn = load.attention(block + ".attn", width),
          .mlp_ln = load.layer_norm(block + ".mlp_ln", width),
          .mlp_0 = load.linear(block + ".mlp.0", {4 * width, width}),
          .mlp_2 = load.linear(block + ".mlp.2", {width, 4 * width})};
}

template <typename Weights>
std::vector<EncoderLayerOf<Weights>> read_encoder_layers(const ModelFile& file) {
  const Loader<Weights> load(file);
  std::vector<EncoderLayerOf<Weights>> layers;
  for (std::size_t i = 0; i < file.dims().n_audio_layer; ++i) {
    layers.push_back(
        encoder_layer(load, "encoder.blocks." + std::to_string(i), file.dims().n_audio_state));
  }
  return layers;
}

template <typename Weights>
DecoderLayerOf<Weights> decoder_layer(const Loader<Weights>& load, const std::string& block,
                                      std::size_t width) {
  return {.attn_ln = load.layer_norm(block + ".attn_ln", width),
          .attn = load.attention(block + ".attn", width),
          .cross_attn_ln = load.layer_norm(block + ".cross_attn_ln", width),
          .cross_attn = load.attention(block + ".cross_attn", width),
          .mlp_ln = load.layer_norm(block + ".mlp_ln", width),
          .mlp_0 = load.linear(block + ".mlp.0", {4 * width, width}),
          .mlp_2 = load.linear(block + ".mlp.2", {width, 4 * width})};
}

template <typename Weights>
DecoderOf<Weights> read_decoder(const ModelFile& file) {
  const Loader<Weights> load(file);
  const Dims& dims = file.dims();
  const std::size_t width = dims.n_text_state;
  DecoderOf<Weights> weights;
  weights.token_embedding = load.weights("decoder.token_embedding.weight", {dims.n_vocab, width});
  weights.positional_embedding =
      load.matrix("decoder.positional_embedding", {dims.n_text_ctx, width});
  for (std::size_t i = 0; i < dims.n_text_layer; ++i) {
    weights.layers.push_back(decoder_layer(load, "decoder.blocks." + std::to_string(i), width));
  }
  weights.ln = load.layer_norm("decoder.ln", width);
  return weights;
}

LinearOf<WeightTensor> linear_tensors(const LinearWeights& linear) {
  return {tensor_of(linear.weight.view()), linear.bias};
}

AttentionOf<WeightTensor> linear_tensors(const AttentionWeights& w) {
  return {linear_tensors(w.query), linear_tensors(w.key), linear_tensors(w.value),
          linear_tensors(w.out)};
}

}  // namespace

void read_finite(const WeightTensor& tensor, std::span<float> out) {
  dequantize(tensor.view, out);
  if (kernels::all_finite(out)) return;
  const auto bad = std::ranges::find_if_not(out, [](float v) { return std::isfinite(v); });
  throw ModelError(tensor.name + ": expected finite values, found " + std::to_string(*bad) +
                   " at element " + std::to_string(bad - out.begin()));
}

EncoderWeights load_encoder_weights(const ModelFile& file) {
  return {read_encoder_ends<Matrix>(file), read_encoder_layers<Matrix>(file)};
}

EncoderEndTensors find_encoder_ends(const ModelFile& file) {
  return read_encoder_ends<WeightTensor>(file);
}

std::vector<EncoderLayerTensors> find_encoder_layers(const ModelFile& file) {
  return read_encoder_layers<WeightTensor>(file);
}

DecoderWeights load_decoder_weights(const ModelFile& file) { return read_decoder<Matrix>(file); }

DecoderTensors find_decoder_weights(const ModelFile& file) {
  return read_decoder<WeightTensor>(file);
}

WeightTensor tensor_of(ConstMatrixView matrix) {
  assert(matrix.stride == matrix.cols);
  TensorView view;
  view.shape = {matrix.rows, matrix.cols};
  view.bytes = std::as_bytes(std::span(matrix.data, matrix.rows * matrix.cols));
  return {view, "weights in memory"};
}

WeightTensor row_range(const WeightTensor& tensor, std::size_t first, std::size_t count) {
  const std::string key =
      tensor.key + "[" + std::to_string(first) + "+" + std::to_string(count) + "]";
  return {row_range(tensor.view, first, count), tensor.name, key, tensor.operands,
          tensor.stays_finer};
}

EncoderEndTensors tensors_of(const EncoderEnds& ends) {
  EncoderEndTensors tensors{
      linear_tensors(ends.conv1), linear_tensors(ends.conv2), {}, ends.ln_post};
  const Matrix& positions = ends.positional_embedding;
  tensors.positional_embedding = Matrix::uninitialised(positions.rows(), positions.cols());
  std::ranges::copy(positions.flat(), tensors.positional_embedding.flat().begin());
  return tensors;
}

std::vector<EncoderLayerTensors> tensors_of(std::span<const EncoderLayerWeights> layers) {
  std::vector<EncoderLayerTensors> tensors;
  for (const EncoderLayerWeights& w : layers) {
    tensors.push_back({w.attn_ln, linear_tensors(w.attn), w.mlp_ln, linear_tensors(w.mlp_0),
                       linear_tensors(w.mlp_2)});
  }
  return tensors;
}

DecoderTensors tensors_of(const DecoderWeights& weights) {
  DecoderTensors tensors{tensor_of(weights.token_embedding.view()),
                         Matrix::uninitialised(weights.positional_embedding.rows(),
                                               weights.positional_embedding.cols()),
                         {},
                         weights.ln};
  std::ranges::copy(weights.positional_embedding.flat(),
                    tensors.positional_embedding.flat().begin());
  for (const DecoderLayerWeights& w : weights.layers) {
    tensors.layers.push_back({w.attn_ln, linear_tensors(w.attn), w.cross_attn_ln,
                              linear_tensors(w.cross_attn), w.mlp_ln, linear_tensors(w.mlp_0),
                              linear_tensors(w.mlp_2)});
  }
  return tensors;
}

}  // namespace wnpu::models
