#include "tests/nano/nano_ggml.h"

#include <algorithm>
#include <fstream>
#include <stdexcept>

#include "tests/nano/nano_codec.h"

namespace wnpu::tests {
namespace {

using models::DType;

// ggml.h: enum ggml_type, and enum ggml_ftype of a file that is mostly of it.
struct Ids {
  std::int32_t type, ftype;
};
Ids ids_of(DType dtype) {
  switch (dtype) {
    case DType::f32:
      return {0, 0};
    case DType::f16:
      return {1, 1};
    case DType::q4_0:
      return {2, 2};
    case DType::q4_1:
      return {3, 3};
    case DType::q5_0:
      return {6, 8};
    case DType::q5_1:
      return {7, 9};
    case DType::q8_0:
      return {8, 7};
    default:
      throw std::invalid_argument("not a ggml type");
  }
}

// convert-pt-to-ggml.py, then quantize.cpp.
DType type_of(const std::string& name, const NanoTensor& tensor, DType dtype) {
  if (tensor.shape.size() == 1 || name.ends_with("positional_embedding")) return DType::f32;
  if (tensor.shape.size() == 3 && dtype != DType::f32) return DType::f16;
  return dtype;
}

}  // namespace

GgmlTensor& GgmlModel::at(const std::string& name) {
  const auto found = std::ranges::find(tensors, name, &GgmlTensor::name);
  if (found == tensors.end()) throw std::out_of_range("no tensor " + name);
  return *found;
}

GgmlModel to_ggml(const NanoModel& model, DType dtype) {
  GgmlModel out;
  const models::Dims& dims = model.dims;
  // 2000: the version of the blocks.
  const bool has_blocks = dtype != DType::f32 && dtype != DType::f16;
  const std::int32_t ftype = ids_of(dtype).ftype + (has_blocks ? 2000 : 0);
  for (const std::size_t value :
       {dims.n_vocab, dims.n_audio_ctx, dims.n_audio_state, dims.n_audio_head, dims.n_audio_layer,
        dims.n_text_ctx, dims.n_text_state, dims.n_text_head, dims.n_text_layer, dims.n_mels}) {
    out.header.push_back(static_cast<std::int32_t>(value));
  }
  out.header.push_back(ftype);
  out.filter_rows = static_cast<std::int32_t>(dims.n_mels);
  out.tokens = model.token_bytes;
  for (const auto& [name, tensor] : model.tensors) {
    const DType type = type_of(name, tensor, dtype);
    std::vector<std::int32_t> extents(tensor.shape.rbegin(), tensor.shape.rend());
    // Biases of convolutions are columns.
    if (name.starts_with("encoder.conv") && tensor.shape.size() == 1) {
      extents.insert(extents.begin(), 1);
    }
    out.tensors.push_back({name, ids_of(type).type, extents, encode(type, tensor.values)});
  }
  return out;
}

void write(const GgmlModel& model, const std::filesystem::path& path) {
  std::string bytes = model.magic;
  for (const std::int32_t value : model.header) bytes += bytes_of(value);
  bytes += bytes_of(model.filter_rows) + bytes_of(model.filter_bins);
  bytes.append(static_cast<std::size_t>(model.filter_rows * model.filter_bins) * 4, '\0');
  bytes += bytes_of(static_cast<std::int32_t>(model.tokens.size()));
  for (const std::string& token : model.tokens) {
    bytes += bytes_of(static_cast<std::uint32_t>(token.size())) + token;
  }
  for (const GgmlTensor& tensor : model.tensors) {
    bytes += bytes_of(static_cast<std::int32_t>(tensor.extents.size()));
    bytes += bytes_of(static_cast<std::int32_t>(tensor.name.size())) + bytes_of(tensor.type);
    for (const std::int32_t extent : tensor.extents) bytes += bytes_of(extent);
    bytes += tensor.name + tensor.bytes;
  }
  std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace wnpu::tests
