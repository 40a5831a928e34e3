// ONNX graphs of a model: where their weights lie. What they compute is tested with onnxruntime
// (program/models/onnx_runtime_test.py), that they can be imported with onnx (onnx_import_test.py).
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "models/base/error.h"
#include "models/files/tensor_names.h"
#include "models/onnx/export.h"
#include "tests/nano/nano_model.h"
#include "tests/support/temporary_folder.h"

using namespace wnpu::models;
using namespace wnpu::tests;

namespace fs = std::filesystem;

namespace {

// All weights beside the graph.
const OnnxOptions kBeside = {.most_inside = 0};

// As small as a model may be.
NanoModel onnx_model() {
  Dims dims = nano_dims();
  dims.n_mels = 8;
  dims.n_audio_state = dims.n_text_state = 8;
  dims.n_audio_head = dims.n_text_head = 2;
  dims.n_audio_layer = dims.n_text_layer = 1;
  return make_nano_model({.dims = dims, .seed = 3});
}

void export_to(const fs::path& folder, const NanoModel& model, const OnnxOptions& options) {
  const auto file = open_in_memory(model);
  for (const StreamedFile& streamed : onnx_files(*file, options)) {
    std::ofstream out(folder / streamed.name, std::ios::binary);
    streamed.write([&](std::string_view part) { out << part; });
  }
}

}  // namespace

TEST_CASE("onnx: graphs of the decoder share a file of weights, each weight in it once") {
  const NanoModel model = onnx_model();
  const TemporaryFolder folder;
  export_to(folder.path(), model, kBeside);
  std::uintmax_t bytes = 0;
  for (const TensorSpec& spec : whisper_tensors(model.dims)) {
    if (!spec.name.starts_with("decoder.")) continue;
    std::uintmax_t size = sizeof(float);
    for (const std::size_t extent : spec.shape) size *= extent;
    bytes += (size + 4095) / 4096 * 4096;
  }
  CHECK(fs::file_size(folder.path() / "decoder_model.onnx_data") == bytes);
  CHECK(fs::file_size(folder.path() / "decoder_model.onnx") < 40000);
  CHECK(fs::file_size(folder.path() / "decoder_with_past_model.onnx") < 40000);
}

TEST_CASE("onnx: weights lie beside the graphs that would be too large, and no others") {
  const NanoModel model = onnx_model();  // the decoder's embedding is larger than the encoder
  std::uint64_t encoder_bytes = 0;
  for (const TensorSpec& spec : whisper_tensors(model.dims)) {
    if (!spec.name.starts_with("encoder.")) continue;
    encoder_bytes += model.tensors.at(spec.name).values.size() * sizeof(float);
  }
  const TemporaryFolder folder;
  // A few constants of the graph are beside the model's weights.
  export_to(folder.path(), model, {.most_inside = encoder_bytes + 200});
  CHECK_FALSE(fs::exists(folder.path() / "encoder_model.onnx_data"));
  CHECK(fs::exists(folder.path() / "decoder_model.onnx_data"));
  export_to(folder.path(), model, {.most_inside = encoder_bytes - 1});
  CHECK(fs::exists(folder.path() / "encoder_model.onnx_data"));
}

TEST_CASE("onnx: a NaN among the weights is refused with its tensor's name") {
  NanoModel model = onnx_model();
  model.tensors.at("decoder.blocks.0.mlp.0.weight").values[5] = NAN;
  const TemporaryFolder folder;
  CHECK_THROWS_WITH_AS(export_to(folder.path(), model, {}), doctest::Contains("mlp.0.weight"),
                       ModelError);
}
