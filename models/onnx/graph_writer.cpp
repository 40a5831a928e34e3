#include "models/onnx/graph_writer.h"

#include <algorithm>

namespace wnpu::models::onnx {
namespace {

// The oldest operator set that has LayerNormalization, and the format that came with it: what
// onnxruntime takes from version 1.12 on.
constexpr std::uint64_t kOpset = 17;
constexpr std::uint64_t kIrFormat = 8;

constexpr const char* kProducer = "whisper-npu";

WireWriter attribute_message(const Attribute& attribute) {
  WireWriter message;
  message.bytes(kAttributeName, attribute.name);
  if (const auto* integer = std::get_if<std::int64_t>(&attribute.value)) {
    message.number(kInteger, static_cast<std::uint64_t>(*integer));
    message.number(kAttributeType, kIsInteger);
  } else if (const auto* real = std::get_if<float>(&attribute.value)) {
    message.real(kReal, *real);
    message.number(kAttributeType, kIsReal);
  } else {
    for (const std::int64_t value : std::get<std::vector<std::int64_t>>(attribute.value)) {
      message.number(kIntegers, static_cast<std::uint64_t>(value));
    }
    message.number(kAttributeType, kIsIntegers);
  }
  return message;
}

WireWriter value_message(const std::string& name, Element element,
                         const std::vector<Extent>& shape) {
  WireWriter extents;
  for (const Extent& extent : shape) {
    WireWriter dim;
    if (extent.name.empty()) {
      dim.number(kDimValue, extent.value);
    } else {
      dim.bytes(kDimParam, extent.name);
    }
    extents.message(kDim, dim);
  }
  WireWriter tensor;
  tensor.number(kTensorElement, static_cast<std::uint32_t>(element));
  tensor.message(kTensorShape, extents);
  WireWriter type;
  type.message(kTensorType, tensor);
  WireWriter value;
  value.bytes(kValueName, name);
  value.message(kValueType, type);
  return value;
}

std::vector<std::size_t> exchanged(const std::vector<std::size_t>& shape) {
  return {shape.rbegin(), shape.rend()};
}

template <typename T>
std::string bytes_of(std::span<const T> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

// Tensor as the graph stores it: complete, or with the place of its values.
struct StoredTensor {
  std::string message;      // complete, or up to the values
  const Initializer* rest;  // whose values follow; null: complete

  std::uint64_t size() const { return message.size() + (rest == nullptr ? 0 : rest->n_bytes()); }
};

StoredTensor stored(const Initializer& initializer, DataFile* data) {
  // Constants of the graph stay in it: checkers and compilers look at them.
  const bool is_outside = data != nullptr && initializer.values.empty();
  if (!is_outside) return {tensor_header(initializer), &initializer};
  return {external_tensor(initializer, *data, data->place(initializer)), nullptr};
}

// The tag and length before a tensor in the graph.
std::string before(const StoredTensor& tensor) {
  WireWriter text;
  text.length(kInitializer, tensor.size());
  return text.text();
}

}  // namespace

std::string GraphWriter::node(std::string_view op, std::initializer_list<std::string> inputs,
                              const std::vector<Attribute>& attributes, std::string output) {
  const std::string name = scope_ + "/" + std::string(op) + "_" + std::to_string(n_nodes_++);
  if (output.empty()) output = name + "_output";
  WireWriter message;
  for (const std::string& input : inputs) message.bytes(kNodeInput, input);
  message.bytes(kNodeOutput, output);
  message.bytes(kNodeName, name);
  message.bytes(kOpType, op);
  for (const Attribute& attribute : attributes) {
    message.message(kAttribute, attribute_message(attribute));
  }
  nodes_.message(kNode, message);
  return output;
}

std::string GraphWriter::add(Initializer initializer) {
  const bool is_known = std::ranges::any_of(
      initializers_, [&](const Initializer& other) { return other.name == initializer.name; });
  std::string name = initializer.name;
  if (!is_known) initializers_.push_back(std::move(initializer));
  return name;
}

std::string GraphWriter::add_matrix(const std::string& name, WeightTensor tensor,
                                    bool is_transposed) {
  std::vector<std::size_t> shape = is_transposed ? exchanged(tensor.view.shape) : tensor.view.shape;
  std::string stored = add({.name = name,
                            .shape = std::move(shape),
                            .element = weights_,
                            .tensor = std::move(tensor),
                            .is_transposed = is_transposed});
  if (weights_ == Element::f32) return stored;
  return node("Cast", {stored}, {{"to", static_cast<std::int64_t>(Element::f32)}});
}

std::string GraphWriter::matrix(const std::string& name, WeightTensor tensor) {
  return add_matrix(name, std::move(tensor), false);
}

std::string GraphWriter::transposed(const std::string& name, WeightTensor tensor) {
  return add_matrix(name, std::move(tensor), true);
}

std::string GraphWriter::vector(const std::string& name, WeightTensor tensor) {
  std::vector<std::size_t> shape = tensor.view.shape;
  return add({.name = name, .shape = std::move(shape), .tensor = std::move(tensor)});
}

std::string GraphWriter::small(std::string name, std::vector<std::size_t> shape, Element element,
                               std::string values) {
  return add({.name = std::move(name),
              .shape = std::move(shape),
              .element = element,
              .values = std::move(values)});
}

std::string GraphWriter::number(float value) {
  return small("number_" + std::to_string(value), {}, Element::f32,
               bytes_of<float>(std::span(&value, 1)));
}

std::string GraphWriter::integers(std::span<const std::int64_t> values) {
  std::string name = "integers";
  for (const std::int64_t value : values) name += "_" + std::to_string(value);
  return small(name, {values.size()}, Element::i64, bytes_of(values));
}

std::string GraphWriter::integer(std::int64_t value) {
  return small("integer_" + std::to_string(value), {}, Element::i64,
               bytes_of<std::int64_t>(std::span(&value, 1)));
}

void GraphWriter::input(const std::string& name, Element element,
                        const std::vector<Extent>& shape) {
  ends_.message(kInput, value_message(name, element, shape));
}

void GraphWriter::output(const std::string& name, const std::vector<Extent>& shape) {
  ends_.message(kOutput, value_message(name, Element::f32, shape));
}

void GraphWriter::describe(std::string_view key, std::string_view value) {
  WireWriter entry;
  entry.bytes(kEntryKey, key);
  entry.bytes(kEntryValue, value);
  metadata_.message(kMetadata, entry);
}

std::string GraphWriter::before_graph() const {
  WireWriter opset;
  opset.bytes(kOpsetDomain, "");
  opset.number(kOpsetVersion, kOpset);
  WireWriter model;
  model.number(kIrVersion, kIrFormat);
  model.bytes(kProducerName, kProducer);
  model.bytes(kModelDoc, "Whisper: " + name_);
  model.message(kOpsetImport, opset);
  return model.text() + metadata_.text();
}

std::uint64_t GraphWriter::weight_bytes() const {
  std::uint64_t bytes = 0;
  for (const Initializer& initializer : initializers_) bytes += initializer.n_bytes();
  return bytes;
}

StreamedFile GraphWriter::file(DataFile* data) const {
  WireWriter graph;
  graph.bytes(kGraphName, name_);
  std::vector<StoredTensor> tensors;
  const auto owned = std::make_shared<const std::vector<Initializer>>(initializers_);
  std::uint64_t size = nodes_.text().size() + graph.text().size() + ends_.text().size();
  for (const Initializer& initializer : *owned) {
    tensors.push_back(stored(initializer, data));
    size += before(tensors.back()).size() + tensors.back().size();
  }
  WireWriter start;
  start.length(kGraph, size);
  std::string head = before_graph() + start.text() + nodes_.text() + graph.text() + ends_.text();
  return {name_ + ".onnx",
          [head = std::move(head), tensors = std::move(tensors), owned](const Sink& sink) {
            sink(head);
            for (const StoredTensor& tensor : tensors) {
              sink(before(tensor) + tensor.message);
              if (tensor.rest != nullptr) write_values(*tensor.rest, sink);
            }
          }};
}

}  // namespace wnpu::models::onnx
