// An ONNX graph while it is being made, and as a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "models/base/folder.h"
#include "models/onnx/tensor_writer.h"
#include "models/onnx/wire.h"

namespace wnpu::models::onnx {

// An extent of an input or output: a number, or the name of one that is free.
struct Extent {
  Extent(std::size_t number) : value(number) {}        // NOLINT: converts
  Extent(std::string free) : name(std::move(free)) {}  // NOLINT: converts
  Extent(const char* free) : name(free) {}             // NOLINT: converts

  std::size_t value = 0;
  std::string name = {};  // empty: a number
};

struct Attribute {
  std::string_view name;
  std::variant<std::int64_t, std::vector<std::int64_t>, float> value;
};

class GraphWriter {
 public:
  // `weights` is the type that matrices are stored in: fp32 or fp16; all arithmetic is in fp32.
  GraphWriter(std::string name, Element weights) : name_(std::move(name)), weights_(weights) {}

  // Nodes that follow are named "scope/operator".
  void set_scope(std::string scope) { scope_ = std::move(scope); }
  // The name of its one output.
  std::string node(std::string_view op, std::initializer_list<std::string> inputs,
                   const std::vector<Attribute>& attributes = {}, std::string output = "");

  // A matrix of the model, and the same with its extents exchanged.
  std::string matrix(const std::string& name, WeightTensor tensor);
  std::string transposed(const std::string& name, WeightTensor tensor);
  // A vector of the model, always in fp32.
  std::string vector(const std::string& name, WeightTensor tensor);
  std::string number(float value);
  std::string integers(std::span<const std::int64_t> values);
  std::string integer(std::int64_t value);  // a scalar

  void input(const std::string& name, Element element, const std::vector<Extent>& shape);
  void output(const std::string& name, const std::vector<Extent>& shape);
  void describe(std::string_view key, std::string_view value);

  // The graph as NAME.onnx; its weights lie in `data` where that is given.
  StreamedFile file(DataFile* data) const;
  // Bytes of all weights.
  std::uint64_t weight_bytes() const;

 private:
  std::string add(Initializer initializer);
  std::string add_matrix(const std::string& name, WeightTensor tensor, bool is_transposed);
  std::string small(std::string name, std::vector<std::size_t> shape, Element element,
                    std::string values);
  std::string before_graph() const;

  std::string name_;
  Element weights_;
  std::string scope_;
  std::size_t n_nodes_ = 0;
  WireWriter nodes_;
  WireWriter ends_;      // inputs and outputs
  WireWriter metadata_;  // of the model
  std::vector<Initializer> initializers_;
};

}  // namespace wnpu::models::onnx
