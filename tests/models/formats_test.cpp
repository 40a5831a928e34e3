// Every format and number type: what is written is what is read.
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "models/base/error.h"
#include "models/files/model_file.h"
#include "models/files/open_model.h"
#include "models/files/tensor_names.h"
#include "models/text/vocabulary.h"
#include "models/weights/weights.h"
#include "tests/nano/nano_codec.h"
#include "tests/nano/nano_ctranslate2.h"
#include "tests/nano/nano_ggml.h"
#include "tests/nano/nano_safetensors.h"
#include "tests/support/small_model.h"
#include "tests/support/temporary_folder.h"

using namespace wnpu::models;
using namespace wnpu::tests;

namespace {

using Values = std::vector<float>;
// Rounding that a format applies to a tensor's values.
using Rounding = std::function<Values(const std::string& name, const NanoTensor& tensor)>;

Values exact(const std::string& /*name*/, const NanoTensor& tensor) { return tensor.values; }

Rounding through(DType dtype) {
  return [dtype](const std::string&, const NanoTensor& tensor) {
    return decode(dtype, encode(dtype, tensor.values));
  };
}

bool is_matrix(const std::string& name, const NanoTensor& tensor) {
  return tensor.shape.size() >= 2 && !name.ends_with("positional_embedding");
}

Values int8_matrices(const std::string& name, const NanoTensor& tensor) {
  if (!is_matrix(name, tensor)) return tensor.values;
  return decode_int8(encode_int8(tensor.values, tensor.shape[0]));
}

// ggml's blocks are for matrices only; convolutions stay f16.
Rounding blocks(DType dtype) {
  return [dtype](const std::string& name, const NanoTensor& tensor) {
    if (!is_matrix(name, tensor) || tensor.shape.size() == 3) return tensor.values;
    return decode(dtype, encode(dtype, tensor.values));
  };
}

Values stored(const ModelFile& file, const TensorSpec& spec) {
  const TensorView& view = file.tensor(spec.name, spec.shape);
  Values values(view.size());
  dequantize(view, values);
  return values;
}

void check_values(const ModelFile& file, const NanoModel& model, const Rounding& rounding) {
  for (const TensorSpec& spec : whisper_tensors(model.dims)) {
    CAPTURE(spec.name);
    REQUIRE(file.has(spec.name));
    CHECK(stored(file, spec) == rounding(spec.name, model.tensors.at(spec.name)));
  }
}

// Everything but the values. ggml files have no lists.
void check_frame(const ModelFile& file, const std::string& format, const std::string& dtype) {
  const NanoModel& model = small_model();
  CHECK(file.format() == format);
  CHECK(file.main_dtype() == dtype);
  CHECK(file.dims() == model.dims);
  CHECK(file.token_bytes() == model.token_bytes);
  const ModelConfig expected = format == "ggml" ? ModelConfig{} : model.config;
  CHECK(file.config().suppress_tokens == expected.suppress_tokens);
  CHECK(file.config().suppress_tokens_begin == expected.suppress_tokens_begin);
  CHECK(file.config().alignment_heads == expected.alignment_heads);
}

}  // namespace

TEST_CASE("ctranslate2: every number type is read as written") {
  struct Case {
    Ct2Quantization quantization;
    const char* dtype;
    Rounding rounding;
  };
  const std::vector<Case> cases = {{Ct2Quantization::float32, "f32", exact},
                                   {Ct2Quantization::float16, "f16", exact},
                                   {Ct2Quantization::bfloat16, "bf16", through(DType::bf16)},
                                   {Ct2Quantization::int8, "int8", int8_matrices},
                                   {Ct2Quantization::int8_float16, "int8", int8_matrices}};
  for (const Case& c : cases) {
    CAPTURE(c.dtype);
    const TemporaryFolder dir;
    write(to_ctranslate2(small_model(), c.quantization), dir.path());
    const auto file = open_model(dir.path());
    check_frame(*file, "ctranslate2", c.dtype);
    check_values(*file, small_model(), c.rounding);
  }
}

TEST_CASE("ctranslate2: int16 is divided by the one scale of its variable") {
  constexpr float kScale = 1000;
  Ct2Model model = to_ctranslate2(small_model(), Ct2Quantization::float32);
  std::vector<Ct2Variable> scales;
  for (Ct2Variable& variable : model.variables) {
    if (!variable.name.ends_with("/weight")) continue;
    std::string levels;
    for (const float value : decode(DType::f32, variable.bytes)) {
      levels += bytes_of(static_cast<std::int16_t>(std::nearbyint(value * kScale)));
    }
    variable.type = 2;
    variable.bytes = levels;
    scales.push_back({variable.name + "_scale", {}, 0, bytes_of(kScale)});
  }
  model.variables.insert(model.variables.end(), scales.begin(), scales.end());
  const TemporaryFolder dir;
  write(model, dir.path());
  const auto file = open_model(dir.path());
  check_frame(*file, "ctranslate2", "int16");
  check_values(*file, small_model(), [](const std::string& name, const NanoTensor& tensor) {
    Values values = tensor.values;
    if (!is_matrix(name, tensor)) return values;
    for (float& value : values) value = std::nearbyint(value * kScale) / kScale;
    return values;
  });
}

TEST_CASE("ggml: every number type is read as written") {
  for (const DType dtype :
       {DType::f32, DType::f16, DType::q4_0, DType::q4_1, DType::q5_0, DType::q5_1, DType::q8_0}) {
    const std::string name(dtype_name(dtype));
    CAPTURE(name);
    const TemporaryFolder dir;
    write(to_ggml(small_model(), dtype), dir.path() / "model-ggml.bin");
    const auto file = open_model(dir.path() / "model-ggml.bin");
    check_frame(*file, "ggml", name);
    check_values(*file, small_model(), blocks(dtype));
  }
}

TEST_CASE("safetensors: every number type is read as written, in one file or in three") {
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16}) {
    for (const std::size_t shards : {1U, 3U}) {
      const std::string name(dtype_name(dtype));
      CAPTURE(name);
      CAPTURE(shards);
      const TemporaryFolder dir;
      write(to_safetensors(small_model(), dtype), dir.path(), shards);
      const auto file = open_model(dir.path());
      check_frame(*file, "safetensors", name);
      check_values(*file, small_model(), through(dtype));
    }
  }
}

TEST_CASE("ctranslate2: models of the older revisions are read") {
  for (const std::uint32_t revision : {1U, 2U}) {
    const TemporaryFolder dir;
    Ct2Model model = to_ctranslate2(small_model(), Ct2Quantization::float16);
    model.revision = revision;
    model.at("decoder/activation").bytes = "\x01";  // GELU was 1 then
    write(model, dir.path());
    check_values(*open_model(dir.path()), small_model(), exact);
  }
}

TEST_CASE("ctranslate2: equal variables that the converter wrote once are read for each name") {
  NanoModel nano = small_model();
  const std::string first = "encoder.blocks.0.mlp_ln.weight";
  nano.tensors.at("encoder.blocks.1.mlp_ln.weight") = nano.tensors.at(first);
  Ct2Model model = to_ctranslate2(nano, Ct2Quantization::float16);
  std::erase_if(model.variables, [](const Ct2Variable& variable) {
    return variable.name == "encoder/layer_1/ffn/layer_norm/gamma";
  });
  model.aliases.emplace_back("encoder/layer_1/ffn/layer_norm/gamma",
                             "encoder/layer_0/ffn/layer_norm/gamma");
  const TemporaryFolder dir;
  write(model, dir.path());
  check_values(*open_model(dir.path()), nano, exact);
}

TEST_CASE("formats: an output matrix of its own is good if it is the embedding") {
  const TemporaryFolder ct2;
  Ct2Model model = to_ctranslate2(small_model(), Ct2Quantization::int8);
  model.aliases.clear();
  for (const char* part : {"weight", "weight_scale"}) {
    Ct2Variable copy = model.at("decoder/embeddings/" + std::string(part));
    copy.name = "decoder/projection/" + std::string(part);
    model.variables.push_back(copy);
  }
  write(model, ct2.path());
  check_values(*open_model(ct2.path()), small_model(), int8_matrices);

  const TemporaryFolder hf;
  StModel tied = to_safetensors(small_model(), DType::f16);
  StTensor output = tied.at("model.decoder.embed_tokens.weight");
  output.name = "proj_out.weight";
  tied.tensors.push_back(output);
  write(tied, hf.path());
  check_values(*open_model(hf.path()), small_model(), exact);

  tied.at("proj_out.weight").bytes[0] ^= 1;
  write(tied, hf.path());
  CHECK_THROWS_AS(open_model(hf.path()), ModelError);
}

TEST_CASE("safetensors: an encoder and decoder saved without their wrapper are read") {
  const TemporaryFolder dir;
  StModel model = to_safetensors(small_model(), DType::f16);
  for (StTensor& tensor : model.tensors) tensor.name.erase(0, std::string("model.").size());
  write(model, dir.path());
  check_values(*open_model(dir.path()), small_model(), exact);
}

TEST_CASE("safetensors: a directory without a tokenizer opens, but has no vocabulary") {
  const TemporaryFolder dir;
  StModel model = to_safetensors(small_model(), DType::f16);
  model.vocab.clear();
  write(model, dir.path());
  const auto file = open_model(dir.path());
  CHECK(file->token_bytes().empty());
  CHECK_THROWS_AS(Vocabulary(file->token_bytes(), file->dims(), file->path()), ModelError);
}

TEST_CASE("safetensors: lists come from config.json where there is no generation_config.json") {
  const TemporaryFolder dir;
  StModel model = to_safetensors(small_model(), DType::f16);
  model.generation_config.clear();
  model.config.insert(1, R"("suppress_tokens": [5, 6], "begin_suppress_tokens": null,)");
  write(model, dir.path());
  const auto file = open_model(dir.path());
  CHECK(file->config().suppress_tokens == std::vector<int>{5, 6});
  CHECK(file->config().suppress_tokens_begin.empty());
}

TEST_CASE("ggml: special tokens after the text tokens are left out") {
  const TemporaryFolder dir;
  GgmlModel model = to_ggml(small_model(), DType::f16);
  model.tokens.emplace_back("<|endoftext|>");
  write(model, dir.path() / "model.bin");
  CHECK(open_model(dir.path() / "model.bin")->token_bytes() == small_model().token_bytes);
}

TEST_CASE("formats: the file in a model directory may be named in its place") {
  const TemporaryFolder ct2;
  write(to_ctranslate2(small_model(), Ct2Quantization::float16), ct2.path());
  CHECK(open_model(ct2.path() / "model.bin")->format() == "ctranslate2");
  const TemporaryFolder hf;
  write(to_safetensors(small_model(), DType::f16), hf.path());
  CHECK(open_model(hf.path() / "model.safetensors")->format() == "safetensors");
}
