#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "models/base/error.h"
#include "models/base/mapped_file.h"
#include "models/files/byte_cursor.h"
#include "models/files/formats.h"
#include "models/files/tensor_layout.h"

namespace wnpu::models {
namespace {

namespace fs = std::filesystem;

// ggml.h: GGML_FILE_MAGIC "ggml" as a number, so that the bytes come the other way round.
constexpr std::string_view kMagic = "lmgg";
// ggml.h: hparams.ftype is version * 1000 + type; versions before 2 had other blocks.
constexpr int kVersionFactor = 1000;
constexpr int kQuantizationVersion = 2;
// openai/whisper audio.py: N_FFT 400, so that a mel filter has 201 bins.
constexpr std::size_t kFilterBins = 201;
// Longest tensor name: under 50.
constexpr std::size_t kMaxName = 256;

// ggml.h enum ggml_type.
std::optional<DType> dtype_of(int type) {
  switch (type) {
    case 0:
      return DType::f32;
    case 1:
      return DType::f16;
    case 2:
      return DType::q4_0;
    case 3:
      return DType::q4_1;
    case 6:
      return DType::q5_0;
    case 7:
      return DType::q5_1;
    case 8:
      return DType::q8_0;
    default:
      return std::nullopt;
  }
}

class GgmlFile final : public ModelFile {
 public:
  explicit GgmlFile(const fs::path& path) : file_(path), cursor_(file_.bytes(), path.string()) {
    path_ = path.string();
    format_ = kGgml;
    read_header();
    skip_filters();
    read_vocabulary();
    while (cursor_.remaining() != 0) read_tensor();
    drop_bias_columns();
    check_tensors(path_);
  }

 private:
  [[noreturn]] void fail(const std::string& what, const std::string& expected,
                         const std::string& found) const {
    throw ModelError(path_ + ": " + what + ": expected " + expected + ", found " + found);
  }

  // A number that is written with a sign and cannot have one.
  std::size_t read_size(std::string_view what) {
    const auto value = cursor_.read<std::int32_t>(what);
    if (value < 0) fail(std::string(what), "0 or more", std::to_string(value));
    return static_cast<std::size_t>(value);
  }

  void read_header() {
    const std::string_view magic = as_text(cursor_.take(kMagic.size(), "magic"));
    if (magic != kMagic) fail("magic", std::string(kMagic), "other bytes");
    for (const auto& [name, extent] : std::to_array<std::pair<const char*, std::size_t*>>(
             {{"n_vocab", &dims_.n_vocab},
              {"n_audio_ctx", &dims_.n_audio_ctx},
              {"n_audio_state", &dims_.n_audio_state},
              {"n_audio_head", &dims_.n_audio_head},
              {"n_audio_layer", &dims_.n_audio_layer},
              {"n_text_ctx", &dims_.n_text_ctx},
              {"n_text_state", &dims_.n_text_state},
              {"n_text_head", &dims_.n_text_head},
              {"n_text_layer", &dims_.n_text_layer},
              {"n_mels", &dims_.n_mels}})) {
      *extent = read_size(name);
    }
    quantization_version_ = cursor_.read<std::int32_t>("ftype") / kVersionFactor;
    validate(dims_, path_);
  }

  // The mel filterbank is computed (audio/), not taken from here.
  void skip_filters() {
    const std::size_t rows = read_size("mel filters");
    const std::size_t bins = read_size("mel filters");
    if (rows != dims_.n_mels || bins != kFilterBins) {
      fail("mel filters", shape_text(std::array{dims_.n_mels, kFilterBins}),
           shape_text(std::array{rows, bins}));
    }
    cursor_.take(rows * bins * sizeof(float), "mel filters");
  }

  // The file has the text tokens, maybe some special ones after them; whisper.cpp makes up names
  // for the rest. Ids are positions.
  void read_vocabulary() {
    const std::size_t count = read_size("vocabulary");
    if (count < dims_.n_text_tokens() || count > dims_.n_vocab) {
      fail("vocabulary",
           std::to_string(dims_.n_text_tokens()) + " to " + std::to_string(dims_.n_vocab) +
               " tokens",
           std::to_string(count));
    }
    token_bytes_.reserve(dims_.n_text_tokens());
    for (std::size_t id = 0; id < count; ++id) {
      const auto length = cursor_.read<std::uint32_t>("a token");
      if (length > kMaxTokenBytes) {
        fail("token " + std::to_string(id), "at most " + std::to_string(kMaxTokenBytes) + " bytes",
             std::to_string(length));
      }
      const std::string_view bytes = as_text(cursor_.take(length, "a token"));
      if (id < dims_.n_text_tokens()) token_bytes_.emplace_back(bytes);
    }
  }

  void read_tensor() {
    const auto rank = cursor_.read<std::int32_t>("rank of a tensor");
    const std::size_t name_length = read_size("name of a tensor");
    const auto type = cursor_.read<std::int32_t>("type of a tensor");
    if (rank < 1 || std::cmp_greater(rank, kMaxRank) || name_length > kMaxName) {
      fail("tensor at offset " + std::to_string(cursor_.offset()),
           "1 to 3 extents and a short name",
           std::to_string(rank) + " extents and a name of " + std::to_string(name_length));
    }
    TensorView view;
    for (int i = 0; i < rank; ++i) view.shape.push_back(read_size("extent of a tensor"));
    std::ranges::reverse(view.shape);
    const std::string name(as_text(cursor_.take(name_length, "name of a tensor")));
    const auto dtype = dtype_of(type);
    if (!dtype) fail(name, "type f32, f16, q4_0, q4_1, q5_0, q5_1 or q8_0", std::to_string(type));
    view.dtype = *dtype;
    if (block_layout(*dtype).elements > 1 && quantization_version_ != kQuantizationVersion) {
      fail(name, "blocks of version " + std::to_string(kQuantizationVersion),
           "version " + std::to_string(quantization_version_));
    }
    const auto bytes = storage_bytes(*dtype, view.shape);
    if (!bytes) fail(name, "rows of whole blocks that fit memory", shape_text(view.shape));
    view.bytes = cursor_.take(*bytes, name);
    view.is_mapped = true;
    add_tensor(name, std::move(view), path_);
  }

  // Biases of convolutions are written as [n, 1], ready to be added to [n, frames].
  void drop_bias_columns() {
    for (const char* name : {"encoder.conv1.bias", "encoder.conv2.bias"}) {
      const auto bias = tensors_.find(name);
      if (bias == tensors_.end()) continue;
      auto& shape = bias->second.shape;
      if (shape.size() == 2 && shape[1] == 1) shape.pop_back();
    }
  }

  MappedFile file_;
  ByteCursor cursor_;
  int quantization_version_ = 0;
};

}  // namespace

std::unique_ptr<ModelFile> open_ggml(const fs::path& path) {
  return std::make_unique<GgmlFile>(path);
}

bool is_ggml(std::string_view start) { return start.starts_with(kMagic); }

}  // namespace wnpu::models
