// Weights of an ONNX graph: their messages, and their values piece by piece.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "models/base/folder.h"
#include "models/onnx/schema.h"
#include "models/weights/weights.h"

namespace wnpu::models::onnx {

// A constant of the graph.
struct Initializer {
  std::string name;
  std::vector<std::size_t> shape;  // in the graph
  Element element = Element::f32;
  WeightTensor tensor = {};    // where the values come from, [shape] or its transposition
  bool is_transposed = false;  // the graph's [in, out] is the tensor's [out, in]
  std::string values = {};     // those of a constant that is no tensor of the model

  std::size_t n_bytes() const;
};

// Weights beside the graph, in a file that several graphs share: a tensor of one name is there
// once.
class DataFile {
 public:
  explicit DataFile(std::string name) : name_(std::move(name)) {}

  const std::string& name() const { return name_; }
  // Offset in the file at which the tensor's values begin.
  std::uint64_t place(const Initializer& initializer);
  StreamedFile file() const;

 private:
  std::string name_;
  std::uint64_t size_ = 0;
  std::map<std::string, std::uint64_t> offsets_;
  std::vector<Initializer> tensors_;
};

// The TensorProto up to its values, which follow as the last field, or lie at `offset` of `data`.
std::string tensor_header(const Initializer& initializer);
std::string external_tensor(const Initializer& initializer, const DataFile& data,
                            std::uint64_t offset);

// n_bytes() of values, row-major. Throws ModelError for a NaN or infinity.
void write_values(const Initializer& initializer, const Sink& sink);

}  // namespace wnpu::models::onnx
