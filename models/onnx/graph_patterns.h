// Pattern matching in a graph, whatever the exporter made of it: finds operations of Whisper
// backwards from their results, by operators and constants, never by names.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "models/onnx/graph.h"

namespace wnpu::models::onnx {

using Value = std::string_view;

// A constant of the graph, on the way to where it is used perhaps with its extents exchanged.
struct FoundTensor {
  TensorView view;
  bool is_transposed = false;
};

struct FoundLinear {
  Value input;
  FoundTensor weight;  // [out, in], once exchanged
  std::optional<FoundTensor> bias;
};

struct FoundLayerNorm {
  Value input;
  FoundTensor gain;
  FoundTensor bias;
};

struct FoundConvolution {
  Value input;
  FoundTensor weight;
  FoundTensor bias;
};

// A value times a number.
struct FoundProduct {
  Value value;
  double factor = 1;
};

class GraphPatterns {
 public:
  // `head_size` is what the last extent of queries and keys stands for. `graph` must outlive it.
  GraphPatterns(const Graph& graph, std::size_t head_size)
      : graph_(graph), head_size_(static_cast<double>(head_size)) {}

  // Source of a value behind nodes that keep its values in their order (casts, reshapes);
  // any_order: behind transpositions too.
  Value plain(Value value) const;
  Value any_order(Value value) const;
  // `value` without the numbers that it is multiplied with.
  FoundProduct unscaled(Value value) const;

  // The constant that a value is; nothing where it is none.
  std::optional<FoundTensor> constant(Value value) const;

  // Each throws ModelError, with the node's name, where the value is not of that kind; `what` is
  // what it would be in Whisper.
  const Node& node(Value value, std::string_view op, std::string_view what) const;
  Value operand(const Node& node, std::size_t i) const;
  FoundLinear linear(Value value, std::string_view what) const;
  FoundLayerNorm layer_norm(Value value, std::string_view what) const;
  Value gelu(Value value, std::string_view what) const;  // what it is of
  FoundConvolution convolution(Value value, std::int64_t stride, std::string_view what) const;
  // Both sides of a sum, the one that is a linear layer first.
  std::pair<FoundLinear, Value> residual(Value value, std::string_view what) const;
  // A sum with a constant.
  std::pair<FoundTensor, Value> sum_with_constant(Value value, std::string_view what) const;

  [[noreturn]] void fail(Value value, std::string_view expected, std::string_view found) const;
  [[noreturn]] void fail(Value value, std::string_view expected) const;

 private:
  bool takes_all_rows(const Node& gather) const;
  std::optional<FoundLinear> find_linear(Value value) const;
  std::optional<FoundLinear> gemm(const Node& gemm) const;
  FoundLayerNorm decomposed_layer_norm(Value value, std::string_view what) const;
  void require_deviation(Value deviation, Value centred, std::string_view what) const;
  bool is_erf_sum(Value value, Value of) const;
  std::optional<double> number(Value value, int depth = 0) const;
  std::optional<std::pair<FoundTensor, Value>> with_constant(const Node& node) const;
  std::optional<std::pair<double, Value>> with_number(const Node& node) const;
  Value skipped(Value value, std::initializer_list<std::string_view> ops) const;

  const Graph& graph_;
  double head_size_;
};

// Whether two numbers are the same, but for what fp16 makes of them.
bool is_near(double a, double b);

}  // namespace wnpu::models::onnx
