#include "models/onnx/graph_patterns.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numbers>
#include <vector>

#include "models/base/error.h"
#include "models/onnx/schema.h"

namespace wnpu::models::onnx {
namespace {

constexpr double kEpsilon = 1e-5;  // of LayerNorm

bool is_one_of(std::string_view op, std::initializer_list<std::string_view> ops) {
  return std::ranges::find(ops, op) != ops.end();
}

std::int64_t integer_of(const Node& node, std::string_view name, std::int64_t otherwise) {
  const NodeAttribute* attribute = node.attribute(name);
  return attribute == nullptr ? otherwise : attribute->integer;
}

double real_of(const Node& node, std::string_view name, double otherwise) {
  const NodeAttribute* attribute = node.attribute(name);
  return attribute == nullptr ? otherwise : attribute->real;
}

using Integers = std::vector<std::int64_t>;

// `expected` is also what the attribute is where it is left out, if it may be.
bool has_integers(const Node& node, std::string_view name, const Integers& expected,
                  bool may_lack) {
  const NodeAttribute* attribute = node.attribute(name);
  return attribute == nullptr ? may_lack : attribute->integers == expected;
}

}  // namespace

bool is_near(double a, double b) {
  constexpr double kTolerance = 2e-3;
  return std::abs(a - b) <= kTolerance * std::abs(b);
}

void GraphPatterns::fail(Value value, std::string_view expected, std::string_view found) const {
  const Node* made_by = graph_.maker(value);
  const std::string_view where = made_by == nullptr ? value : made_by->name;
  throw ModelError(graph_.path() + ": " + std::string(where.substr(0, 100)) + ": expected " +
                   std::string(expected) + ", found " + std::string(found.substr(0, 100)));
}

void GraphPatterns::fail(Value value, std::string_view expected) const {
  const Node* made_by = graph_.maker(value);
  if (made_by == nullptr) fail(value, expected, "an input or a constant");
  const std::string domain(made_by->domain);
  fail(value, expected, domain + (domain.empty() ? "" : "::") + std::string(made_by->op));
}

Value GraphPatterns::operand(const Node& node, std::size_t i) const {
  if (i < node.inputs.size()) return node.inputs[i];
  throw ModelError(graph_.path() + ": " + std::string(node.name.substr(0, 100)) + ": expected " +
                   std::to_string(i + 1) + " inputs, found " + std::to_string(node.inputs.size()));
}

// A node reads only what stands before it (Graph), so that each of these walks comes to an end.
Value GraphPatterns::skipped(Value value, std::initializer_list<std::string_view> ops) const {
  while (true) {
    const Node* made_by = graph_.maker(value);
    const bool is_skipped = made_by != nullptr && made_by->domain.empty() &&
                            is_one_of(made_by->op, ops) && !made_by->inputs.empty();
    if (!is_skipped) return value;
    value = made_by->inputs[0];
  }
}

Value GraphPatterns::plain(Value value) const {
  return skipped(value, {"Identity", "Cast", "Reshape", "Squeeze", "Unsqueeze", "Flatten"});
}

Value GraphPatterns::any_order(Value value) const {
  return skipped(value,
                 {"Identity", "Cast", "Reshape", "Squeeze", "Unsqueeze", "Flatten", "Transpose"});
}

// Rows 0, 1, ... of a constant up to its last one: how torch.export looks positions up.
bool GraphPatterns::takes_all_rows(const Node& gather) const {
  if (gather.op != "Gather" || gather.inputs.size() != 2) return false;
  const TensorView* rows = graph_.constant(gather.inputs[0]);
  const auto indices = graph_.integers(gather.inputs[1]);
  const bool is_whole = rows != nullptr && rows->shape.size() == 2 &&
                        indices.size() / sizeof(std::int64_t) == rows->shape[0] &&
                        integer_of(gather, "axis", 0) == 0;
  for (std::size_t i = 0; is_whole && i < rows->shape[0]; ++i) {
    std::uint64_t index = 0;
    std::memcpy(&index, indices.data() + i * sizeof(index), sizeof(index));
    if (index != i) return false;
  }
  return is_whole;
}

std::optional<FoundTensor> GraphPatterns::constant(Value value) const {
  bool is_transposed = false;
  while (true) {
    if (const TensorView* tensor = graph_.constant(value))
      return FoundTensor{*tensor, is_transposed};
    const Node* made_by = graph_.maker(value);
    if (made_by == nullptr || made_by->inputs.empty()) return std::nullopt;
    const bool is_exchange =
        made_by->op == "Transpose" && has_integers(*made_by, "perm", {1, 0}, true);
    // To fp32, which all other types' values are in.
    const bool is_widened = made_by->op == "Cast" && integer_of(*made_by, "to", 0) ==
                                                         static_cast<std::int64_t>(Element::f32);
    const bool is_same = is_widened || made_by->op == "Identity" || takes_all_rows(*made_by);
    if (!is_exchange && !is_same) return std::nullopt;
    is_transposed ^= is_exchange;
    value = made_by->inputs[0];
  }
}

// A number that the graph has, or computes of numbers and of the size of a head.
std::optional<double> GraphPatterns::number(Value value, int depth) const {
  constexpr int kDeepest = 12;
  if (const auto found = constant(value)) {
    if (found->view.size() != 1) return std::nullopt;
    float read = 0;
    dequantize(found->view, std::span(&read, 1));
    return read;
  }
  const Node* made_by = graph_.maker(value);
  if (made_by == nullptr || made_by->inputs.empty() || depth == kDeepest) return std::nullopt;
  if (made_by->op == "Shape") return head_size_;
  const auto first = number(made_by->inputs[0], depth + 1);
  if (!first) return std::nullopt;
  if (is_one_of(made_by->op, {"Cast", "Slice", "Gather", "Squeeze", "Identity"})) return first;
  if (made_by->op == "Sqrt") return std::sqrt(*first);
  if (!is_one_of(made_by->op, {"Mul", "Div"}) || made_by->inputs.size() < 2) return std::nullopt;
  const auto second = number(made_by->inputs[1], depth + 1);
  if (!second) return std::nullopt;
  return made_by->op == "Mul" ? *first * *second : *first / *second;
}

std::optional<std::pair<FoundTensor, Value>> GraphPatterns::with_constant(const Node& node) const {
  if (node.inputs.size() != 2) return std::nullopt;
  for (const std::size_t side : {0U, 1U}) {
    if (const auto found = constant(node.inputs[side])) {
      return std::pair(*found, node.inputs[1 - side]);
    }
  }
  return std::nullopt;
}

std::optional<std::pair<double, Value>> GraphPatterns::with_number(const Node& node) const {
  if (node.inputs.size() != 2) return std::nullopt;
  if (const auto found = number(node.inputs[1])) return std::pair(*found, node.inputs[0]);
  if (node.op == "Div") return std::nullopt;
  if (const auto found = number(node.inputs[0])) return std::pair(*found, node.inputs[1]);
  return std::nullopt;
}

FoundProduct GraphPatterns::unscaled(Value value) const {
  FoundProduct product{any_order(value)};
  while (true) {
    const Node* made_by = graph_.maker(product.value);
    if (made_by == nullptr || !is_one_of(made_by->op, {"Mul", "Div"})) return product;
    const auto sides = with_number(*made_by);
    if (!sides) return product;
    product.factor *= made_by->op == "Mul" ? sides->first : 1 / sides->first;
    product.value = any_order(sides->second);
  }
}

const Node& GraphPatterns::node(Value value, std::string_view op, std::string_view what) const {
  value = plain(value);
  const Node* made_by = graph_.maker(value);
  if (made_by == nullptr || made_by->op != op || !made_by->domain.empty()) {
    fail(value, std::string(op) + " (" + std::string(what) + ")");
  }
  return *made_by;
}

std::optional<FoundLinear> GraphPatterns::gemm(const Node& gemm) const {
  const bool is_plain = integer_of(gemm, "transA", 0) == 0 && real_of(gemm, "alpha", 1) == 1 &&
                        real_of(gemm, "beta", 1) == 1;
  if (!is_plain || gemm.inputs.size() < 2) return std::nullopt;
  auto weight = constant(gemm.inputs[1]);
  if (!weight) return std::nullopt;
  if (integer_of(gemm, "transB", 0) == 0) weight->is_transposed ^= true;
  if (gemm.inputs.size() < 3) return FoundLinear{gemm.inputs[0], *weight, std::nullopt};
  return FoundLinear{gemm.inputs[0], *weight, constant(gemm.inputs[2])};
}

std::optional<FoundLinear> GraphPatterns::find_linear(Value value) const {
  const Node* made_by = graph_.maker(plain(value));
  if (made_by == nullptr || !made_by->domain.empty()) return std::nullopt;
  if (made_by->op == "Gemm") return gemm(*made_by);
  std::optional<FoundTensor> bias;
  if (made_by->op == "Add") {
    const auto sides = with_constant(*made_by);
    if (!sides) return std::nullopt;
    bias = sides->first;
    made_by = graph_.maker(plain(sides->second));
  }
  const bool is_product = made_by != nullptr && made_by->op == "MatMul" &&
                          made_by->domain.empty() && made_by->inputs.size() == 2;
  if (!is_product) return std::nullopt;
  auto weight = constant(made_by->inputs[1]);
  if (!weight) return std::nullopt;
  weight->is_transposed ^= true;  // MatMul's is [in, out]
  return FoundLinear{made_by->inputs[0], *weight, bias};
}

FoundLinear GraphPatterns::linear(Value value, std::string_view what) const {
  if (const auto found = find_linear(value)) return *found;
  fail(plain(value), std::string(what) + " (MatMul or Gemm with a constant, Add)");
}

std::pair<FoundLinear, Value> GraphPatterns::residual(Value value, std::string_view what) const {
  const Node& sum = node(value, "Add", what);
  if (sum.inputs.size() == 2) {
    if (const auto first = find_linear(sum.inputs[0])) return {*first, sum.inputs[1]};
    if (const auto second = find_linear(sum.inputs[1])) return {*second, sum.inputs[0]};
  }
  fail(plain(value), std::string(what) + ": a sum with a linear layer", "another sum");
}

std::pair<FoundTensor, Value> GraphPatterns::sum_with_constant(Value value,
                                                               std::string_view what) const {
  if (const auto sides = with_constant(node(value, "Add", what))) return *sides;
  fail(plain(value), std::string(what) + ": a sum with a constant", "another sum");
}

FoundLayerNorm GraphPatterns::layer_norm(Value value, std::string_view what) const {
  value = plain(value);
  const Node* made_by = graph_.maker(value);
  if (made_by == nullptr || made_by->op != "LayerNormalization" || !made_by->domain.empty()) {
    return decomposed_layer_norm(value, what);
  }
  const std::int64_t axis = integer_of(*made_by, "axis", -1);
  const double epsilon = real_of(*made_by, "epsilon", kEpsilon);
  if (made_by->inputs.size() != 3 || (axis != -1 && axis != 2) || !is_near(epsilon, kEpsilon)) {
    fail(value, std::string(what) + ": 3 inputs, the last axis, epsilon 1e-5", "others");
  }
  const auto gain = constant(made_by->inputs[1]);
  const auto bias = constant(made_by->inputs[2]);
  if (!gain || !bias) fail(value, std::string(what) + ": constant weights", "others");
  return {made_by->inputs[0], *gain, *bias};
}

// (x - mean(x)) / sqrt(mean((x - mean(x))^2) + epsilon) * gain + bias
FoundLayerNorm GraphPatterns::decomposed_layer_norm(Value value, std::string_view what) const {
  const auto [bias, scaled] = sum_with_constant(value, what);
  const auto sides = with_constant(node(scaled, "Mul", what));
  if (!sides) fail(plain(scaled), std::string(what) + ": a constant gain", "another product");
  const Node& quotient = node(sides->second, "Div", what);
  const Node& difference = node(operand(quotient, 0), "Sub", what);
  const Node& mean = node(operand(difference, 1), "ReduceMean", what);
  if (plain(operand(mean, 0)) != plain(operand(difference, 0))) {
    fail(value, std::string(what) + ": the mean of what it is taken from", "another's");
  }
  require_deviation(operand(quotient, 1), plain(operand(quotient, 0)), what);
  return {operand(difference, 0), sides->first, bias};
}

void GraphPatterns::require_deviation(Value deviation, Value centred, std::string_view what) const {
  const Value sum = operand(node(deviation, "Sqrt", what), 0);
  const auto epsilon = with_number(node(sum, "Add", what));
  if (!epsilon || !is_near(epsilon->first, kEpsilon)) {
    fail(plain(sum), std::string(what) + ": epsilon 1e-5", "another");
  }
  const Node& mean = node(epsilon->second, "ReduceMean", what);
  const Node* square = graph_.maker(plain(operand(mean, 0)));
  const bool is_square =
      square != nullptr && is_one_of(square->op, {"Pow", "Mul"}) && square->inputs.size() == 2 &&
      plain(square->inputs[0]) == centred &&
      (square->op == "Pow" ? number(square->inputs[1]) == 2 : plain(square->inputs[1]) == centred);
  if (!is_square) fail(plain(deviation), std::string(what) + ": the variance", "another");
}

// 1 + erf(of / sqrt 2)
bool GraphPatterns::is_erf_sum(Value value, Value of) const {
  const Node* sum = graph_.maker(plain(value));
  if (sum == nullptr || sum->op != "Add") return false;
  const auto sides = with_number(*sum);
  if (!sides || !is_near(sides->first, 1)) return false;
  const Node* erf = graph_.maker(plain(sides->second));
  if (erf == nullptr || erf->op != "Erf" || erf->inputs.empty()) return false;
  const FoundProduct product = unscaled(erf->inputs[0]);
  return is_near(product.factor, 1 / std::numbers::sqrt2) && product.value == any_order(of);
}

Value GraphPatterns::gelu(Value value, std::string_view what) const {
  value = plain(value);
  const Node* made_by = graph_.maker(value);
  if (made_by != nullptr && made_by->op == "Gelu" && made_by->domain.empty() &&
      made_by->inputs.size() == 1) {
    const NodeAttribute* approximate = made_by->attribute("approximate");
    if (approximate == nullptr || approximate->text == "none") return made_by->inputs[0];
    fail(value, std::string(what) + ": GELU by erf", "an approximation");
  }
  constexpr std::size_t kMostFactors = 6;
  std::vector<Value> unread{value};
  std::vector<Value> factors;
  double scale = 1;
  while (!unread.empty() && factors.size() + unread.size() < kMostFactors) {
    const Value next = plain(unread.back());
    unread.pop_back();
    const Node* product = graph_.maker(next);
    if (const auto known = number(next)) {
      scale *= *known;
    } else if (product != nullptr && product->op == "Mul" && product->inputs.size() == 2) {
      unread.insert(unread.end(), product->inputs.begin(), product->inputs.end());
    } else {
      factors.push_back(next);
    }
  }
  if (unread.empty() && factors.size() == 2 && is_near(scale, 0.5)) {
    if (is_erf_sum(factors[0], factors[1])) return factors[1];
    if (is_erf_sum(factors[1], factors[0])) return factors[0];
  }
  fail(value, std::string(what) + ": GELU, x (1 + erf(x / sqrt 2)) / 2");
}

FoundConvolution GraphPatterns::convolution(Value value, std::int64_t stride,
                                            std::string_view what) const {
  const Node& found = node(value, "Conv", what);
  const bool is_ours =
      found.inputs.size() == 3 && has_integers(found, "strides", {stride}, stride == 1) &&
      has_integers(found, "pads", {1, 1}, false) && has_integers(found, "dilations", {1}, true) &&
      integer_of(found, "group", 1) == 1;
  if (!is_ours) {
    fail(plain(value),
         std::string(what) + ": stride " + std::to_string(stride) + ", pads 1, a bias", "others");
  }
  const auto weight = constant(found.inputs[1]);
  const auto bias = constant(found.inputs[2]);
  if (!weight || !bias) fail(plain(value), std::string(what) + ": constant weights", "others");
  return {found.inputs[0], *weight, *bias};
}

}  // namespace wnpu::models::onnx
