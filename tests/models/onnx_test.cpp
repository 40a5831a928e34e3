// ONNX: what is exported is imported bit for bit, whatever its layout; a graph that computes
// something else, or that means harm, is refused.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "models/base/error.h"
#include "models/files/tensor_names.h"
#include "models/onnx/export.h"
#include "models/onnx/import.h"
#include "tests/few_samples.h"
#include "tests/nano/nano_model.h"
#include "tests/support/temporary_folder.h"

using namespace wnpu::models;
using namespace wnpu::tests;

namespace fs = std::filesystem;

namespace {

constexpr const char* kEncoder = "encoder_model.onnx";
// All weights beside the graph.
const OnnxOptions kBeside = {.most_inside = 0};

// As small as a model may be, so that a test may break it often.
NanoModel onnx_model(std::size_t n_layers = 1) {
  Dims dims = nano_dims();
  dims.n_mels = 8;
  dims.n_audio_state = dims.n_text_state = 8;
  dims.n_audio_head = dims.n_text_head = 2;
  dims.n_audio_layer = n_layers;
  dims.n_text_layer = 1;
  return make_nano_model({.dims = dims, .seed = 3});
}

void export_to(const fs::path& folder, const NanoModel& model, const OnnxOptions& options) {
  const auto file = open_in_memory(model);
  for (const StreamedFile& streamed : onnx_files(*file, options)) {
    std::ofstream out(folder / streamed.name, std::ios::binary);
    streamed.write([&](std::string_view part) { out << part; });
  }
}

std::string read_bytes(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

void write_bytes(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

std::vector<float> values_of(const ModelFile& file, const TensorSpec& spec) {
  const TensorView& view = file.tensor(spec.name, spec.shape);
  std::vector<float> values(view.size());
  dequantize(view, values);
  return values;
}

// How many of the tensors differ in any bit.
std::size_t n_different(const ModelFile& a, const ModelFile& b) {
  std::size_t different = 0;
  for (const TensorSpec& spec : whisper_tensors(a.dims())) {
    different += values_of(a, spec) == values_of(b, spec) ? 0 : 1;
  }
  return different;
}

// Error of the import of a file; empty: it was accepted.
std::string onnx_refusal(const fs::path& path, const NanoModel& decoder) {
  const auto file = open_in_memory(decoder);
  try {
    import_onnx_encoder(path, *file);
  } catch (const ModelError& error) {
    return error.what();
  }
  return "";
}

// With every `from` made `to`, which has as many bytes, so that no length changes.
std::string replaced(std::string bytes, const std::string& from, const std::string& to) {
  REQUIRE(from.size() == to.size());
  std::size_t n_found = 0;
  for (std::size_t at = 0; (at = bytes.find(from, at)) != std::string::npos; at += to.size()) {
    bytes.replace(at, from.size(), to);
    ++n_found;
  }
  REQUIRE(n_found > 0);
  return bytes;
}

std::string float_bytes(float value) {
  return {reinterpret_cast<const char*>(&value), sizeof(value)};
}

}  // namespace

TEST_CASE("onnx: an export is imported bit for bit, inside and beside the graph, fp32 and fp16") {
  const NanoModel model = make_nano_model();
  const auto file = open_in_memory(model);
  for (const bool is_external : {false, true}) {
    for (const bool is_fp16 : {false, true}) {
      const TemporaryFolder folder;
      export_to(folder.path(), model,
                {.batch = 2, .is_fp16 = is_fp16, .most_inside = is_external ? 0U : UINT32_MAX});
      const auto imported = import_onnx_encoder(folder.path() / kEncoder, *file);
      CHECK(n_different(*file, *imported) == 0);  // a nano model's values are fp16
      CHECK(folder.n_entries() == (is_external ? 5 : 3));
    }
  }
}

TEST_CASE("onnx: encoders of any number of layers and mels") {
  for (const std::size_t n_layers : {1U, 3U, 7U}) {
    const NanoModel model = onnx_model(n_layers);
    const TemporaryFolder folder;
    export_to(folder.path(), model, {});
    CHECK(n_different(*open_in_memory(model),
                      *import_onnx_encoder(folder.path() / kEncoder, *open_in_memory(model))) == 0);
  }
}

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

TEST_CASE("onnx: only the encoder comes from the ONNX file") {
  const NanoModel model = onnx_model();
  NanoModel other = make_nano_model({.dims = model.dims, .seed = 4});
  const TemporaryFolder folder;
  export_to(folder.path(), model, {});
  const auto decoder = open_in_memory(other);
  const auto imported = import_onnx_encoder(folder.path() / kEncoder, *decoder);
  for (const TensorSpec& spec : whisper_tensors(model.dims)) {
    const NanoModel& source = spec.name.starts_with("encoder.") ? model : other;
    CHECK(values_of(*imported, spec) == source.tensors.at(spec.name).values);
  }
}

TEST_CASE("onnx: a NaN among the weights is refused with its tensor's name") {
  NanoModel model = onnx_model();
  model.tensors.at("decoder.blocks.0.mlp.0.weight").values[5] = NAN;
  const TemporaryFolder folder;
  CHECK_THROWS_WITH_AS(export_to(folder.path(), model, {}), doctest::Contains("mlp.0.weight"),
                       ModelError);
}

TEST_CASE("onnx: a graph that computes something else is refused with the node's name") {
  struct Change {
    std::string from, to, said;
  };
  const std::vector<Change> changes = {
      {"Erf", "Exp", "expected encoder.blocks.0.mlp: GELU"},
      {"Softmax", "Hardmax", "expected Softmax"},
      {"\x22\x04"
       "Conv",
       "\x22\x04"
       "Clip",
       "expected Conv"},
      {"\x22\x12LayerNormalization", "\x22\x12LayerNormalizatioN", "encoder.ln_post"},
      {float_bytes(0.5F), float_bytes(0.4F), "GELU"},
      {float_bytes(1e-5F), float_bytes(1e-3F), "epsilon 1e-5"},
      {float_bytes(1.41421356F), float_bytes(1.51421356F), "GELU"},
  };
  const NanoModel model = onnx_model();
  const TemporaryFolder folder;
  export_to(folder.path(), model, kBeside);
  const fs::path path = folder.path() / kEncoder;
  const std::string whole = read_bytes(path);
  REQUIRE(onnx_refusal(path, model).empty());
  for (const Change& change : changes) {
    write_bytes(path, replaced(whole, change.from, change.to));
    const std::string said = onnx_refusal(path, model);
    CAPTURE(change.to);
    CHECK(said.find(change.said) != std::string::npos);
    CHECK(said.starts_with(path.string() + ": "));
  }
}

TEST_CASE("onnx: a decoder of another encoder is refused") {
  const NanoModel model = onnx_model(2);
  const TemporaryFolder folder;
  export_to(folder.path(), model, {});
  const fs::path path = folder.path() / kEncoder;
  for (const std::size_t n_layers : {1U, 3U})
    CHECK_FALSE(onnx_refusal(path, onnx_model(n_layers)).empty());
  NanoModel other = model;
  other.dims.n_audio_head = 4;
  CHECK(onnx_refusal(path, other).find("4 heads") != std::string::npos);
  other = model;
  other.dims.n_mels = 80;
  CHECK(onnx_refusal(path, other).find("encoder.conv1.weight [8, 80, 3], found [8, 8, 3]") !=
        std::string::npos);
}

TEST_CASE("onnx: no weights from outside of the folder, or from beyond the file") {
  const NanoModel model = onnx_model();
  const TemporaryFolder folder;
  export_to(folder.path(), model, kBeside);
  const fs::path path = folder.path() / kEncoder;
  const fs::path data = folder.path() / "encoder_model.onnx_data";
  const std::string whole = read_bytes(path);
  for (const char* location :
       {"../coder_model.onnx_data", "/ncoder_model.onnx_data/", "a/./../model.onnx_data_"}) {
    const std::string name = "encoder_model.onnx_data";
    write_bytes(path, replaced(whole, name, std::string(location).substr(0, name.size())));
    CHECK(onnx_refusal(path, model).find("expected a file in the model's folder") !=
          std::string::npos);
  }
  write_bytes(path, whole);
  fs::rename(data, folder.path() / "elsewhere");
  CHECK(onnx_refusal(path, model).find("encoder_model.onnx_data") != std::string::npos);
  const TemporaryFolder outside;
  fs::copy_file(folder.path() / "elsewhere", outside.path() / "elsewhere");
  fs::create_symlink(outside.path() / "elsewhere", data);
  CHECK(onnx_refusal(path, model).find("found a link out of it") != std::string::npos);
  fs::remove(data);
  fs::rename(folder.path() / "elsewhere", data);
  REQUIRE(onnx_refusal(path, model).empty());
  fs::resize_file(data, fs::file_size(data) - 8192);
  CHECK(onnx_refusal(path, model).find("expected values within") != std::string::npos);
}

TEST_CASE("onnx: a hub's cache, whose files are links to others in one folder") {
  const NanoModel model = onnx_model();
  const TemporaryFolder folder;
  const fs::path blobs = folder.path() / "blobs";
  const fs::path snapshot = folder.path() / "snapshots" / "main";
  fs::create_directories(blobs);
  fs::create_directories(snapshot);
  export_to(blobs, model, kBeside);
  for (const char* name : {kEncoder, "encoder_model.onnx_data"}) {
    fs::rename(blobs / name, blobs / ("hash_of_" + std::string(name)));
    fs::create_symlink(fs::path("../../blobs") / ("hash_of_" + std::string(name)), snapshot / name);
  }
  CHECK(onnx_refusal(snapshot / kEncoder, model).empty());
}

TEST_CASE("onnx: nodes that read what comes behind them, and values of one name, are refused") {
  const NanoModel model = onnx_model();
  const TemporaryFolder folder;
  export_to(folder.path(), model, kBeside);
  const fs::path path = folder.path() / kEncoder;
  const std::string whole = read_bytes(path);
  // The first Erf reads its own result: a cycle.
  const std::string made = "encoder.conv1/Erf_2_output";
  const std::string read = "encoder.conv1/Div_1_output";
  const std::size_t second = whole.find(read, whole.find(read) + 1);
  REQUIRE(second != std::string::npos);
  write_bytes(path, std::string(whole).replace(second, made.size(), made));
  CHECK(onnx_refusal(path, model).find("expected nodes behind what they read") !=
        std::string::npos);
  write_bytes(path, replaced(whole, made, read));
  CHECK(onnx_refusal(path, model).find("expected each value once") != std::string::npos);
}

TEST_CASE("onnx: whatever bytes are wrong, a graph is taken or refused in our words") {
  const NanoModel model = onnx_model();
  const TemporaryFolder folder;
  export_to(folder.path(), model, kBeside);
  const fs::path path = folder.path() / kEncoder;
  const std::string whole = read_bytes(path);
  std::mt19937 random(1);
  std::size_t refused = 0;
  constexpr std::size_t kTries = 2000 / kSampleShare;  // and a fuzzer's
  for (std::size_t i = 0; i < kTries; ++i) {
    std::string damaged = whole;
    damaged[random() % damaged.size()] ^= static_cast<char>(1U << random() % 8U);
    if (i % 4 == 0) damaged.resize(random() % damaged.size());
    write_bytes(path, damaged);
    refused += onnx_refusal(path, model).empty() ? 0 : 1;
  }
  CHECK(refused > kTries / 4);  // all that were cut, and more
}
