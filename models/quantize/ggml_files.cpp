// Layout: ggml_file.cpp, which reads it, and whisper.cpp's whisper_model_load. Which tensors are
// quantised: whisper.cpp, examples/quantize.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "models/base/error.h"
#include "models/base/mapped_file.h"
#include "models/files/tensor_layout.h"
#include "models/files/tensor_names.h"
#include "models/kernels/vectors/half_floats.h"
#include "models/quantize/quantized_files.h"
#include "models/quantize/stored_values.h"
#include "models/text/vocabulary.h"
#include "models/weights/weights.h"

namespace wnpu::models {
namespace {

constexpr std::string_view kGgmlMagic = "lmgg";
// hparams.ftype: 1000 x version of the blocks, then the type of the matrices.
constexpr std::int32_t kBlocksVersion = 2000;

// Ids of a type: of a tensor (ggml.h enum ggml_type), of a file (enum ggml_ftype).
struct GgmlIds {
  std::int32_t tensor;
  std::int32_t file;
};

GgmlIds ids_of(DType type) {
  switch (type) {
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
      return {0, 0};
  }
}

void append_int(std::string& bytes, std::size_t value) {
  const auto number = static_cast<std::int32_t>(value);
  bytes.append(reinterpret_cast<const char*>(&number), sizeof(number));
}

std::string header_bytes(const ModelFile& file, DType type, std::span<const float> mel_filters) {
  const Dims& dims = file.dims();
  std::string bytes(kGgmlMagic);
  for (const std::size_t extent :
       {dims.n_vocab, dims.n_audio_ctx, dims.n_audio_state, dims.n_audio_head, dims.n_audio_layer,
        dims.n_text_ctx, dims.n_text_state, dims.n_text_head, dims.n_text_layer, dims.n_mels}) {
    append_int(bytes, extent);
  }
  const std::int32_t file_type = kBlocksVersion + ids_of(type).file;
  append_int(bytes, static_cast<std::size_t>(file_type));
  append_int(bytes, dims.n_mels);
  append_int(bytes, mel_filters.size() / dims.n_mels);
  bytes += as_text(std::as_bytes(mel_filters));
  append_int(bytes, file.token_bytes().size());
  for (const std::string& token : file.token_bytes()) {
    append_int(bytes, token.size());
    bytes += token;
  }
  return bytes;
}

bool is_positions(const TensorSpec& spec) { return spec.name.ends_with("positional_embedding"); }

DType type_in_ggml(const TensorSpec& spec, DType type) {
  if (spec.shape.size() == 1 || is_positions(spec)) return DType::f32;
  return spec.shape.size() == kMaxRank ? DType::f16 : type;
}

// Values in `type`: copied where the tensor has it already, since calibration has chosen them; else
// each rounded to the nearest.
std::string value_bytes(const TensorView& view, DType type, const std::string& name) {
  Matrix values = Matrix::uninitialised(view.shape[0], view.row_size());
  read_finite({view, name}, values.flat());
  std::string bytes = view.dtype == type ? std::string(as_text(view.bytes))
                                         : stored_values(type, values.view(), name).bytes;
  release(view);
  return bytes;
}

std::string tensor_bytes(const ModelFile& file, const TensorSpec& spec, DType layer_type) {
  const DType type = type_in_ggml(spec, layer_type);
  const std::string name = file.path() + ": " + spec.name;
  const TensorView& view = file.tensor(spec.name, spec.shape);
  std::vector<std::size_t> extents(spec.shape.rbegin(), spec.shape.rend());
  // Ready to be added to [n, frames].
  if (spec.name.starts_with("encoder.conv") && spec.name.ends_with(".bias")) {
    extents.insert(extents.begin(), 1);
  }
  std::string bytes;
  append_int(bytes, extents.size());
  append_int(bytes, spec.name.size());
  append_int(bytes, static_cast<std::size_t>(ids_of(type).tensor));
  for (const std::size_t extent : extents) append_int(bytes, extent);
  bytes += spec.name;
  return bytes + value_bytes(view, type, name);
}

}  // namespace

std::vector<StreamedFile> ggml_files(const ModelFile& file, DType type,
                                     std::vector<float> mel_filters) {
  // Refuses what has no tokenizer.
  const Vocabulary vocabulary(file.token_bytes(), file.dims(), file.path());
  std::vector<StreamedFile> files;
  files.push_back(
      {"ggml-model.bin", [&file, type, filters = std::move(mel_filters)](const Sink& sink) {
         sink(header_bytes(file, type, filters));
         for (const TensorSpec& spec : whisper_tensors(file.dims())) {
           sink(tensor_bytes(file, spec, type));
         }
       }});
  return files;
}

}  // namespace wnpu::models
