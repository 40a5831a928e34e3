#include "models/onnx/tensor_writer.h"

#include <algorithm>
#include <utility>

#include "models/kernels/vectors/half_floats.h"
#include "models/onnx/wire.h"

namespace wnpu::models::onnx {
namespace {

// Alignment of tensors in a file of data: a page, so that readers may map them.
constexpr std::uint64_t kDataAlignment = 4096;
// Values that are held in fp32 at once, of tensors that stay in their order.
constexpr std::size_t kValuesTogether = std::size_t{1} << 20U;

std::size_t element_bytes(Element element) {
  if (element == Element::i64) return sizeof(std::int64_t);
  return element == Element::f32 ? sizeof(float) : sizeof(std::uint16_t);
}

WireWriter described(const Initializer& initializer) {
  WireWriter tensor;
  for (const std::size_t extent : initializer.shape) tensor.number(kDims, extent);
  tensor.number(kElementType, static_cast<std::uint32_t>(initializer.element));
  tensor.bytes(kTensorName, initializer.name);
  return tensor;
}

WireWriter entry(std::string_view key, std::string_view value) {
  WireWriter pair;
  pair.bytes(kEntryKey, key);
  pair.bytes(kEntryValue, value);
  return pair;
}

void write_floats(std::span<const float> values, Element element, const Sink& sink) {
  if (element == Element::f32) {
    sink({reinterpret_cast<const char*>(values.data()), values.size_bytes()});
    return;
  }
  std::vector<std::uint16_t> halves(values.size());
  kernels::narrow_f16(values, halves);
  sink({reinterpret_cast<const char*>(halves.data()), halves.size() * sizeof(std::uint16_t)});
}

void write_in_order(const Initializer& initializer, const Sink& sink) {
  const TensorView& view = initializer.tensor.view;
  const std::size_t step = std::max<std::size_t>(1, kValuesTogether / view.row_size());
  std::vector<float> values;
  for (std::size_t first = 0; first < view.shape[0]; first += step) {
    const std::size_t rows = std::min(step, view.shape[0] - first);
    const WeightTensor part{row_range(view, first, rows), initializer.tensor.name};
    values.resize(part.view.size());
    read_finite(part, values);
    write_floats(values, initializer.element, sink);
  }
}

void write_transposed(const Initializer& initializer, const Sink& sink) {
  const TensorView& view = initializer.tensor.view;
  Matrix matrix = Matrix::uninitialised(view.shape[0], view.row_size());
  read_finite(initializer.tensor, matrix.flat());
  const std::size_t step = std::max<std::size_t>(1, kValuesTogether / matrix.rows());
  std::vector<float> values;
  for (std::size_t first = 0; first < matrix.cols(); first += step) {
    const std::size_t last = std::min(first + step, matrix.cols());
    values.clear();
    for (std::size_t c = first; c < last; ++c) {
      for (std::size_t r = 0; r < matrix.rows(); ++r) values.push_back(matrix.row(r)[c]);
    }
    write_floats(values, initializer.element, sink);
  }
}

}  // namespace

std::size_t Initializer::n_bytes() const {
  if (!values.empty()) return values.size();
  return tensor.view.size() * element_bytes(element);
}

std::uint64_t DataFile::place(const Initializer& initializer) {
  const auto [found, is_new] = offsets_.emplace(initializer.name, size_);
  if (is_new) {
    const std::uint64_t end = size_ + initializer.n_bytes();
    size_ = (end + kDataAlignment - 1) / kDataAlignment * kDataAlignment;
    tensors_.push_back(initializer);
  }
  return found->second;
}

StreamedFile DataFile::file() const {
  return {name_, [tensors = tensors_](const Sink& sink) {
            for (const Initializer& tensor : tensors) {
              write_values(tensor, sink);
              const std::size_t rest = tensor.n_bytes() % kDataAlignment;
              if (rest != 0) sink(std::string(kDataAlignment - rest, '\0'));
            }
          }};
}

std::string tensor_header(const Initializer& initializer) {
  WireWriter tensor = described(initializer);
  tensor.length(kRawData, initializer.n_bytes());
  return tensor.text();
}

std::string external_tensor(const Initializer& initializer, const DataFile& data,
                            std::uint64_t offset) {
  WireWriter tensor = described(initializer);
  tensor.message(kExternalData, entry("location", data.name()));
  tensor.message(kExternalData, entry("offset", std::to_string(offset)));
  tensor.message(kExternalData, entry("length", std::to_string(initializer.n_bytes())));
  tensor.number(kDataLocation, kExternal);
  return tensor.text();
}

void write_values(const Initializer& initializer, const Sink& sink) {
  if (!initializer.values.empty()) {
    sink(initializer.values);
    return;
  }
  if (initializer.is_transposed) {
    write_transposed(initializer, sink);
  } else {
    write_in_order(initializer, sink);
  }
  release(initializer.tensor.view);
}

}  // namespace wnpu::models::onnx
