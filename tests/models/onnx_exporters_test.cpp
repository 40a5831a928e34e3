// Encoders as torch's exporters write them (data/reference/onnx_encoders.py).
#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "models/files/tensor_names.h"
#include "models/onnx/import.h"
#include "tests/nano/nano_model.h"

using namespace wnpu::models;
using namespace wnpu::tests;

namespace fs = std::filesystem;

namespace {

NanoModel decoder_of_exports() {
  Dims dims = nano_dims();
  dims.n_mels = 8;
  dims.n_audio_state = dims.n_text_state = 8;
  dims.n_audio_head = dims.n_text_head = 2;
  dims.n_audio_layer = 2;
  dims.n_text_layer = 1;
  return make_nano_model({.dims = dims, .seed = 5});
}

// weight_values() of onnx_encoders.py; the encoder alone has no "model.encoder." before its names.
float expected_weight(const std::string& name, std::size_t i) {
  std::size_t salt = 0;
  const std::string prefix = "model.encoder.";
  for (const char letter : transformers_name(name).substr(prefix.size())) {
    salt += static_cast<unsigned char>(letter);
  }
  return (static_cast<float>((i * 31 + salt) % 257) - 128) / 512;
}

std::size_t n_wrong(const ModelFile& file, const TensorSpec& spec) {
  const TensorView& view = file.tensor(spec.name, spec.shape);
  std::vector<float> values(view.size());
  dequantize(view, values);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    wrong += values[i] == expected_weight(spec.name, i) ? 0 : 1;
  }
  return wrong;
}

}  // namespace

TEST_CASE("onnx: torch's exporters, whatever they call and exchange") {
  const NanoModel decoder = decoder_of_exports();
  const auto companion = open_in_memory(decoder);
  std::size_t n_files = 0;
  for (const auto& entry : fs::directory_iterator(WNPU_ONNX_GOLDEN_DIR)) {
    if (entry.path().extension() != ".onnx") continue;
    CAPTURE(entry.path().filename().string());
    const auto imported = import_onnx_encoder(entry.path(), *companion);
    ++n_files;
    for (const TensorSpec& spec : whisper_tensors(decoder.dims)) {
      if (!spec.name.starts_with("encoder.")) continue;
      CAPTURE(spec.name);
      CHECK(n_wrong(*imported, spec) == 0);
    }
  }
  CHECK(n_files == 6);
}
