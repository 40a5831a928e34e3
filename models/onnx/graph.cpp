#include "models/onnx/graph.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>

#include "models/base/error.h"
#include "models/base/folder.h"
#include "models/files/tensor_layout.h"
#include "models/onnx/schema.h"
#include "models/onnx/wire.h"

namespace wnpu::models::onnx {
namespace {

namespace fs = std::filesystem;
using Bytes = std::span<const std::byte>;

constexpr std::size_t kNoNode = static_cast<std::size_t>(-1);

std::optional<DType> dtype_of(std::uint64_t element) {
  switch (static_cast<Element>(element)) {
    case Element::f32:
      return DType::f32;
    case Element::f16:
      return DType::f16;
    case Element::bf16:
      return DType::bf16;
    default:
      return std::nullopt;
  }
}

// A TensorProto's fields.
struct TensorFields {
  std::string_view name;
  std::vector<std::size_t> shape;
  std::uint64_t element = 0;
  Bytes values;
  std::vector<Bytes> outside;  // entries that say where the values are
  bool is_outside = false;
};

void add_numbers(const WireField& field, std::string_view path, auto& list) {
  if (field.kind == WireKind::varint) {
    list.push_back(
        static_cast<typename std::remove_reference_t<decltype(list)>::value_type>(field.value));
    return;
  }
  WireReader packed(field.bytes, path);
  while (const auto value = packed.next_packed()) {
    list.push_back(
        static_cast<typename std::remove_reference_t<decltype(list)>::value_type>(*value));
  }
}

TensorFields read_tensor(Bytes message, std::string_view path) {
  TensorFields tensor;
  WireReader reader(message, path);
  while (const auto field = reader.next()) {
    if (field->number == kDims) add_numbers(*field, path, tensor.shape);
    if (field->number == kElementType) tensor.element = field->value;
    if (field->number == kTensorName) tensor.name = field->text();
    // Packed floats are their bytes one behind the other, as raw data are.
    if (field->number == kRawData || field->number == kFloatData) tensor.values = field->bytes;
    if (field->number == kExternalData) tensor.outside.push_back(field->bytes);
    if (field->number == kDataLocation) tensor.is_outside = field->value == kExternal;
  }
  return tensor;
}

std::pair<std::string_view, std::string_view> read_entry(Bytes message, std::string_view path) {
  std::pair<std::string_view, std::string_view> entry;
  WireReader reader(message, path);
  while (const auto field = reader.next()) {
    if (field->number == kEntryKey) entry.first = field->text();
    if (field->number == kEntryValue) entry.second = field->text();
  }
  return entry;
}

std::optional<std::size_t> parsed(std::string_view digits) {
  std::size_t value = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value);
  if (error != std::errc() || stop != end || digits.empty()) return std::nullopt;
  return value;
}

// Whether it lies where the model's file does, by its name or by links: in a hub's cache both are
// links to one folder of files that are named by their hashes.
bool lies_beside(const fs::path& file, const fs::path& model) {
  std::error_code error;
  const fs::path folder = fs::canonical(file, error).parent_path();
  if (error) return true;  // opening it will say why
  return folder == fs::canonical(fs::absolute(model).parent_path(), error) ||
         folder == fs::canonical(model, error).parent_path();
}

}  // namespace

const NodeAttribute* Node::attribute(std::string_view wanted) const {
  const auto found = std::ranges::find(attributes, wanted, &NodeAttribute::name);
  return found == attributes.end() ? nullptr : &*found;
}

Graph::Graph(const fs::path& path) : path_(path.string()), file_(path) { read_model(); }

const Node* Graph::maker(std::string_view value) const {
  const auto found = values_.find(value);
  if (found == values_.end() || found->second == kNoNode) return nullptr;
  return &nodes_[found->second];
}

const TensorView* Graph::constant(std::string_view value) const {
  const auto found = constants_.find(value);
  return found == constants_.end() ? nullptr : &found->second;
}

std::span<const std::byte> Graph::integers(std::string_view value) const {
  const auto found = integers_.find(value);
  return found == integers_.end() ? Bytes() : found->second;
}

void Graph::fail(std::string_view where, std::string_view expected, std::string_view found) const {
  constexpr std::size_t kShown = 60;
  throw ModelError(path_ + ": " + std::string(where.substr(0, kShown)) + ": expected " +
                   std::string(expected) + ", found " + std::string(found.substr(0, kShown)));
}

void Graph::add_value(std::string_view name) {
  const std::size_t made_by = nodes_.empty() ? kNoNode : nodes_.size() - 1;
  if (!values_.emplace(name, made_by).second) fail(name, "each value once", "two of its name");
}

void Graph::read_model() {
  WireReader reader(file_.bytes(), path_);
  Bytes graph;
  while (const auto field = reader.next()) {
    if (field->number == kGraph && field->kind == WireKind::bytes) graph = field->bytes;
  }
  if (graph.empty()) fail("model", "a graph", "none");
  read_graph(graph);
}

std::string_view Graph::read_value_name(Bytes message) const {
  WireReader reader(message, path_);
  while (const auto field = reader.next()) {
    if (field->number == kValueName) return field->text();
  }
  return {};
}

// Constants and inputs first: a file may have them behind the nodes that read them.
void Graph::read_graph(Bytes graph) {
  WireReader ends(graph, path_);
  while (const auto field = ends.next()) {
    if (field->number == kInitializer) read_constant(field->bytes, {});
    if (field->number == kInput) inputs_.push_back(read_value_name(field->bytes));
    if (field->number == kOutput) outputs_.push_back(read_value_name(field->bytes));
  }
  // Files before IR version 4 list constants among the inputs too.
  std::erase_if(inputs_, [&](std::string_view name) { return values_.contains(name); });
  for (const std::string_view name : inputs_) add_value(name);
  WireReader nodes(graph, path_);
  while (const auto field = nodes.next()) {
    if (field->number == kNode) read_node(field->bytes);
  }
}

NodeAttribute Graph::read_attribute(Bytes message) const {
  NodeAttribute attribute;
  WireReader reader(message, path_);
  while (const auto field = reader.next()) {
    if (field->number == kAttributeName) attribute.name = field->text();
    if (field->number == kInteger) attribute.integer = static_cast<std::int64_t>(field->value);
    if (field->number == kReal) std::memcpy(&attribute.real, &field->value, sizeof(float));
    if (field->number == kText) attribute.text = field->text();
    if (field->number == kTensor) attribute.tensor = field->bytes;
    if (field->number == kIntegers) add_numbers(*field, path_, attribute.integers);
  }
  return attribute;
}

void Graph::read_node(Bytes message) {
  Node node;
  WireReader reader(message, path_);
  while (const auto field = reader.next()) {
    if (field->number == kNodeInput) node.inputs.push_back(field->text());
    if (field->number == kNodeOutput) node.outputs.push_back(field->text());
    if (field->number == kNodeName) node.name = field->text();
    if (field->number == kOpType) node.op = field->text();
    if (field->number == kNodeDomain) node.domain = field->text();
    if (field->number == kAttribute) node.attributes.push_back(read_attribute(field->bytes));
  }
  if (node.name.empty() && !node.outputs.empty()) node.name = node.outputs[0];
  for (const std::string_view input : node.inputs) {
    if (input.empty() || values_.contains(input)) continue;  // empty: an input left out
    fail(node.name, "nodes behind what they read", "one that reads " + std::string(input));
  }
  const NodeAttribute* value = node.op == "Constant" ? node.attribute("value") : nullptr;
  if (value != nullptr && node.outputs.size() == 1) {
    read_constant(value->tensor, node.outputs[0]);
    return;
  }
  nodes_.push_back(std::move(node));
  for (const std::string_view output : nodes_.back().outputs) {
    if (!output.empty()) add_value(output);
  }
}

void Graph::read_constant(Bytes message, std::string_view name) {
  const TensorFields tensor = read_tensor(message, path_);
  if (name.empty()) name = tensor.name;
  if (!values_.emplace(name, kNoNode).second) fail(name, "each value once", "two of its name");
  const bool is_index = tensor.element == static_cast<std::uint64_t>(Element::i64);
  const auto dtype = dtype_of(tensor.element);
  if (!dtype && !is_index) return;
  const Bytes values =
      tensor.is_outside ? outside_values(tensor.outside, std::string(name)) : tensor.values;
  if (is_index) {
    integers_.emplace(name, values);
    return;
  }
  if (tensor.shape.size() > kMaxRank + 1) fail(name, "at most 4 extents", shape_text(tensor.shape));
  const auto wanted = storage_bytes(*dtype, tensor.shape);
  if (!wanted || *wanted != values.size()) {
    fail(name, shape_text(tensor.shape) + " of " + std::string(dtype_name(*dtype)),
         std::to_string(values.size()) + " bytes");
  }
  constants_.emplace(
      name, TensorView{.dtype = *dtype, .shape = tensor.shape, .bytes = values, .is_mapped = true});
}

std::span<const std::byte> Graph::outside_values(std::span<const Bytes> entries,
                                                 const std::string& name) {
  std::string_view location;
  std::optional<std::size_t> offset = 0;
  std::optional<std::size_t> length;
  for (const Bytes entry : entries) {
    const auto [key, value] = read_entry(entry, path_);
    if (key == "location") location = value;
    if (key == "offset") offset = parsed(value);
    if (key == "length") length = parsed(value);
  }
  const Bytes bytes = data_file(location, name).bytes();
  if (!offset || !length || *offset > bytes.size() || *length > bytes.size() - *offset) {
    fail(name, "values within the " + std::to_string(bytes.size()) + " bytes of the file beside",
         "others");
  }
  return bytes.subspan(*offset, *length);
}

// A plain name: whatever else it may say, the file is in the model's folder.
const MappedFile& Graph::data_file(std::string_view location, const std::string& name) {
  const auto known = data_files_.find(location);
  if (known != data_files_.end()) return known->second;
  const bool is_name = !location.empty() && location != "." && location != ".." &&
                       location.find('/') == location.npos && location.find('\0') == location.npos;
  if (!is_name) fail(name, "a file in the model's folder", location);
  const fs::path path = join(fs::path(path_).parent_path(), location);
  if (!lies_beside(path, path_)) fail(name, "a file in the model's folder", "a link out of it");
  return data_files_.emplace(std::string(location), MappedFile(path)).first->second;
}

}  // namespace wnpu::models::onnx
