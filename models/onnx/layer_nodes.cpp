#include "models/onnx/layer_nodes.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "models/files/tensor_names.h"

namespace wnpu::models::onnx {

LayerNodes::LayerNodes(GraphWriter& graph, const ModelFile& file, std::size_t width,
                       std::size_t heads)
    : graph_(graph), file_(file), width_(width), heads_(heads) {}

WeightTensor LayerNodes::tensor(const std::string& name,
                                const std::vector<std::size_t>& shape) const {
  return {file_.tensor(name, shape), file_.path() + ": " + name};
}

std::string LayerNodes::layer_norm(const std::string& states, const std::string& name,
                                   const std::string& output) {
  graph_.set_scope(name);
  const std::string gain = name + ".weight";
  const std::string bias = name + ".bias";
  return graph_.node("LayerNormalization",
                     {states, graph_.vector(transformers_name(gain), tensor(gain, {width_})),
                      graph_.vector(transformers_name(bias), tensor(bias, {width_}))},
                     {{"axis", std::int64_t{-1}}, {"epsilon", 1e-5F}}, output);
}

std::string LayerNodes::linear(const std::string& states, const std::string& name, std::size_t out,
                               std::size_t in, bool has_bias) {
  graph_.set_scope(name);
  const std::string weight = name + ".weight";
  const std::string bias = name + ".bias";
  std::string product = graph_.node(
      "MatMul", {states, graph_.transposed(transformers_name(weight), tensor(weight, {out, in}))});
  if (!has_bias) return product;
  return graph_.node("Add", {product, graph_.vector(transformers_name(bias), tensor(bias, {out}))});
}

// x (1 + erf(x / sqrt 2)) / 2: the operator Gelu is newer than the graph's operator set.
std::string LayerNodes::gelu(const std::string& states) {
  const std::string scaled =
      graph_.node("Div", {states, graph_.number(std::numbers::sqrt2_v<float>)});
  const std::string sum = graph_.node("Add", {graph_.node("Erf", {scaled}), graph_.number(1.0F)});
  return graph_.node("Mul", {graph_.node("Mul", {states, sum}), graph_.number(0.5F)});
}

std::string LayerNodes::mlp(const std::string& states, const std::string& block) {
  const std::string normed = layer_norm(states, block + ".mlp_ln");
  const std::string hidden = gelu(linear(normed, block + ".mlp.0", 4 * width_, width_));
  return graph_.node("Add", {states, linear(hidden, block + ".mlp.2", width_, 4 * width_)});
}

std::string LayerNodes::heads(const std::string& states, const std::string& output) {
  const std::array<std::int64_t, 4> shape = {0, 0, static_cast<std::int64_t>(heads_),
                                             static_cast<std::int64_t>(width_ / heads_)};
  const std::string split = graph_.node("Reshape", {states, graph_.integers(shape)});
  return graph_.node("Transpose", {split}, {{"perm", std::vector<std::int64_t>{0, 2, 1, 3}}},
                     output);
}

std::string LayerNodes::queries(const std::string& states, const std::string& attention) {
  const std::size_t head_size = width_ / heads_;
  const float scale = 1.0F / std::sqrt(static_cast<float>(head_size));
  const std::string query = linear(states, attention + ".query", width_, width_);
  return heads(graph_.node("Mul", {query, graph_.number(scale)}));
}

std::string LayerNodes::keys(const std::string& states, const std::string& attention,
                             const std::string& output) {
  return heads(linear(states, attention + ".key", width_, width_, false), output);
}

std::string LayerNodes::values(const std::string& states, const std::string& attention,
                               const std::string& output) {
  return heads(linear(states, attention + ".value", width_, width_), output);
}

std::string LayerNodes::attend(const std::string& states, const Attended& seen,
                               const std::string& attention) {
  graph_.set_scope(attention);
  const std::string keys =
      graph_.node("Transpose", {seen.keys}, {{"perm", std::vector<std::int64_t>{0, 1, 3, 2}}});
  std::string scores = graph_.node("MatMul", {seen.queries, keys});
  if (!seen.mask.empty()) scores = graph_.node("Add", {scores, seen.mask});
  const std::string weights = graph_.node("Softmax", {scores}, {{"axis", std::int64_t{-1}}});
  const std::string sums = graph_.node("Transpose", {graph_.node("MatMul", {weights, seen.values})},
                                       {{"perm", std::vector<std::int64_t>{0, 2, 1, 3}}});
  const std::array<std::int64_t, 3> shape = {0, 0, static_cast<std::int64_t>(width_)};
  const std::string joined = graph_.node("Reshape", {sums, graph_.integers(shape)});
  return graph_.node("Add", {states, linear(joined, attention + ".out", width_, width_)});
}

}  // namespace wnpu::models::onnx
