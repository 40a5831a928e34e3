// An ONNX graph as it lies in a file that nobody has checked yet: nodes, and constants as views.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/mapped_file.h"
#include "models/files/tensor_view.h"

namespace wnpu::models::onnx {

struct NodeAttribute {
  std::string_view name;
  std::int64_t integer = 0;
  float real = 0;
  std::string_view text;
  std::vector<std::int64_t> integers;
  std::span<const std::byte> tensor;  // a TensorProto
};

// Names are views into the file.
struct Node {
  std::string_view name;
  std::string_view op;
  std::string_view domain;  // empty: the standard's
  std::vector<std::string_view> inputs;
  std::vector<std::string_view> outputs;
  std::vector<NodeAttribute> attributes;

  // Null: there is none of the name.
  const NodeAttribute* attribute(std::string_view wanted) const;
};

class Graph {
 public:
  // Throws ModelError where the file is no ONNX model, where a node comes before what it reads (so
  // that there is no cycle), where two values have one name, and where values of a constant are not
  // of its size, or outside of the file's folder.
  explicit Graph(const std::filesystem::path& path);

  const std::string& path() const { return path_; }
  std::span<const std::string_view> inputs() const { return inputs_; }
  std::span<const std::string_view> outputs() const { return outputs_; }
  // The node that makes a value; null for inputs and constants.
  const Node* maker(std::string_view value) const;
  // A constant in fp32, fp16 or bf16; null for any other value.
  const TensorView* constant(std::string_view value) const;
  // A constant of integers, as they lie in the file; empty for any other value.
  std::span<const std::byte> integers(std::string_view value) const;

 private:
  void read_model();
  void read_graph(std::span<const std::byte> graph);
  void read_node(std::span<const std::byte> message);
  NodeAttribute read_attribute(std::span<const std::byte> message) const;
  void read_constant(std::span<const std::byte> tensor, std::string_view name);
  std::span<const std::byte> outside_values(std::span<const std::span<const std::byte>> entries,
                                            const std::string& name);
  const MappedFile& data_file(std::string_view location, const std::string& name);
  void add_value(std::string_view name);
  std::string_view read_value_name(std::span<const std::byte> message) const;
  [[noreturn]] void fail(std::string_view where, std::string_view expected,
                         std::string_view found) const;

  std::string path_;
  MappedFile file_;
  std::map<std::string, MappedFile, std::less<>> data_files_;
  std::vector<Node> nodes_;
  std::vector<std::string_view> inputs_;
  std::vector<std::string_view> outputs_;
  std::map<std::string_view, std::size_t> values_;  // by name: the node, or kNoNode
  std::map<std::string_view, TensorView> constants_;
  std::map<std::string_view, std::span<const std::byte>> integers_;
};

}  // namespace wnpu::models::onnx
