#include "models/onnx/encoder_weights.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "models/base/error.h"
#include "models/files/tensor_layout.h"

namespace wnpu::models::onnx {
namespace {

using Weights = std::map<std::string, FoundTensor>;

class EncoderSearch {
 public:
  EncoderSearch(const Graph& graph, const Dims& dims)
      : graph_(graph), dims_(dims), patterns_(graph, dims.n_audio_state / dims.n_audio_head) {}

  Weights run() {
    if (graph_.inputs().empty() || graph_.outputs().empty()) {
      throw ModelError(graph_.path() + ": expected an input and an output, found none");
    }
    Value states = layer_norm(graph_.outputs()[0], "encoder.ln_post");
    for (std::size_t i = dims_.n_audio_layer; i > 0; --i) {
      states = layer(states, "encoder.blocks." + std::to_string(i - 1));
    }
    stem(states);
    return std::move(weights_);
  }

 private:
  // `shape` is that of openai/whisper.
  void take(Value where, const std::string& name, FoundTensor tensor,
            const std::vector<std::size_t>& shape) {
    std::vector<std::size_t> found = tensor.view.shape;
    while (found.size() > shape.size() && found.front() == 1) found.erase(found.begin());
    tensor.view.shape = found;
    if (tensor.is_transposed) std::ranges::reverse(found);
    if (found != shape || (tensor.is_transposed && shape.size() != 2)) {
      patterns_.fail(where, name + " " + shape_text(shape), shape_text(found));
    }
    weights_.emplace(name, std::move(tensor));
  }

  FoundLinear take_linear(FoundLinear found, const std::string& name, std::size_t out,
                          std::size_t in) {
    take(found.input, name + ".weight", found.weight, {out, in});
    if (!found.bias) patterns_.fail(found.input, name + ".bias", "none");
    take(found.input, name + ".bias", *found.bias, {out});
    return found;
  }

  Value layer_norm(Value value, const std::string& name) {
    const FoundLayerNorm found = patterns_.layer_norm(value, name);
    take(value, name + ".weight", found.gain, {dims_.n_audio_state});
    take(value, name + ".bias", found.bias, {dims_.n_audio_state});
    return found.input;
  }

  void require_same(Value a, Value b, const std::string& what) const {
    if (patterns_.plain(a) == patterns_.plain(b)) return;
    patterns_.fail(a, what + " of " + std::string(patterns_.plain(b)), "of another value");
  }

  // Matches a transformer layer from its output backwards: takes its weights, returns its input.
  Value layer(Value value, const std::string& block) {
    const std::size_t width = dims_.n_audio_state;
    const auto [second, attended] = patterns_.residual(value, block + ".mlp.2");
    take_linear(second, block + ".mlp.2", width, 4 * width);
    const Value hidden = patterns_.gelu(second.input, block + ".mlp");
    const FoundLinear first =
        take_linear(patterns_.linear(hidden, block + ".mlp.0"), block + ".mlp.0", 4 * width, width);
    require_same(layer_norm(first.input, block + ".mlp_ln"), attended, block + ".mlp_ln");
    const auto [out, states] = patterns_.residual(attended, block + ".attn.out");
    take_linear(out, block + ".attn.out", width, width);
    const Value normed = attention(out.input, block + ".attn");
    require_same(layer_norm(normed, block + ".attn_ln"), states, block + ".attn_ln");
    return states;
  }

  Value attention(Value value, const std::string& name) {
    const std::size_t width = dims_.n_audio_state;
    const Node& sum = patterns_.node(patterns_.any_order(value), "MatMul", name);
    const Node& softmax = patterns_.node(patterns_.operand(sum, 0), "Softmax", name);
    require_last_axis(softmax, name);
    const FoundProduct scores = patterns_.unscaled(patterns_.operand(softmax, 0));
    const Node& product = patterns_.node(scores.value, "MatMul", name + ": scores");
    const FoundProduct queries = patterns_.unscaled(patterns_.operand(product, 0));
    const FoundProduct keys = patterns_.unscaled(patterns_.operand(product, 1));
    require_scale(scores.factor * queries.factor * keys.factor, product, name);
    const FoundLinear query = take_linear(patterns_.linear(queries.value, name + ".query"),
                                          name + ".query", width, width);
    const FoundLinear key = patterns_.linear(keys.value, name + ".key");
    take(key.input, name + ".key.weight", key.weight, {width, width});
    if (key.bias) require_zeros(key, name);
    const FoundLinear read = take_linear(
        patterns_.linear(patterns_.any_order(patterns_.operand(sum, 1)), name + ".value"),
        name + ".value", width, width);
    require_same(key.input, query.input, name + ".key");
    require_same(read.input, query.input, name + ".value");
    return query.input;
  }

  void require_last_axis(const Node& softmax, const std::string& name) const {
    const NodeAttribute* axis = softmax.attribute("axis");
    // The last of three or four extents.
    const bool is_last =
        axis == nullptr || axis->integer == -1 || axis->integer == 2 || axis->integer == 3;
    if (is_last) return;
    patterns_.fail(patterns_.operand(softmax, 0), name + ": Softmax over the last axis",
                   std::to_string(axis->integer));
  }

  void require_scale(double scale, const Node& product, const std::string& name) const {
    const std::size_t head_size = dims_.n_audio_state / dims_.n_audio_head;
    const double expected = 1 / std::sqrt(static_cast<double>(head_size));
    if (is_near(scale, expected)) return;
    patterns_.fail(patterns_.operand(product, 0),
                   name + ": scores times " + std::to_string(expected) + " (" +
                       std::to_string(dims_.n_audio_head) + " heads)",
                   "times " + std::to_string(scale));
  }

  // Whisper's keys have no bias.
  void require_zeros(const FoundLinear& key, const std::string& name) const {
    std::vector<float> values(key.bias->view.size());
    dequantize(key.bias->view, values);
    if (std::ranges::all_of(values, [](float value) { return value == 0; })) return;
    patterns_.fail(key.input, name + ".key without a bias", "one that is not zero");
  }

  void stem(Value value) {
    const std::size_t width = dims_.n_audio_state;
    const std::string positions = "encoder.positional_embedding";
    const auto [rows, states] = patterns_.sum_with_constant(value, positions);
    take(value, positions, rows, {dims_.n_audio_ctx, width});
    const Value second =
        convolution(patterns_.any_order(states), "encoder.conv2", {width, width, 3}, 2);
    const Value first = convolution(second, "encoder.conv1", {width, dims_.n_mels, 3}, 1);
    require_same(first, graph_.inputs()[0], "encoder.conv1");
  }

  Value convolution(Value value, const std::string& name, const std::vector<std::size_t>& shape,
                    std::int64_t stride) {
    const FoundConvolution found = patterns_.convolution(patterns_.gelu(value, name), stride, name);
    take(value, name + ".weight", found.weight, shape);
    take(value, name + ".bias", found.bias, {shape[0]});
    return found.input;
  }

  const Graph& graph_;
  const Dims& dims_;
  GraphPatterns patterns_;
  Weights weights_;
};

}  // namespace

Weights find_encoder(const Graph& graph, const Dims& dims) {
  return EncoderSearch(graph, dims).run();
}

}  // namespace wnpu::models::onnx
