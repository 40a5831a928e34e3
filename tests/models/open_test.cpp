// Paths that are no model at all, and weights that are no numbers.
#include <fstream>
#include <limits>
#include <string>
#include <sys/stat.h>

#include <doctest/doctest.h>

#include "models/base/error.h"
#include "models/files/model_file.h"
#include "models/files/open_model.h"
#include "models/weights/weights.h"
#include "tests/nano/nano_codec.h"
#include "tests/nano/nano_ctranslate2.h"
#include "tests/support/small_model.h"
#include "tests/support/temporary_folder.h"

using namespace wnpu::models;
using namespace wnpu::tests;

namespace fs = std::filesystem;

namespace {

std::string found_in(const fs::path& path) {
  try {
    open_model(path);
  } catch (const ModelError& error) {
    const std::string text = error.what();
    CHECK(text.starts_with(path.string() + ": expected "));
    return text.substr(text.rfind("found ") + 6);
  }
  return "a model";
}

std::string found_in_file(const std::string& bytes) {
  const TemporaryFolder dir;
  std::ofstream(dir.path() / "model.bin", std::ios::binary) << bytes;
  return found_in(dir.path() / "model.bin");
}

}  // namespace

TEST_CASE("open_model: each thing that is no model gets its own message") {
  const TemporaryFolder dir;
  CHECK(found_in(dir.path() / "missing") == "nothing");
  CHECK(found_in(dir.path() / "missing/model.bin") == "nothing");
  CHECK(found_in(dir.path()) == "an empty directory");
  CHECK(found_in_file("") == "an empty file");
  CHECK(found_in_file("The quick brown fox\n") == "a text file");
  CHECK(found_in_file("{\"json\": true}") == "a text file");
  CHECK(found_in_file("GGUF\x03") == "a GGUF file, which Whisper models do not use");
  CHECK(found_in_file(std::string("\x7fZLF\0\1", 6)) == "a file of another kind");
  for (const char* name : {"c", "a", "b", "f", "e", "d"}) std::ofstream(dir.path() / name);
  CHECK(found_in(dir.path()) == "a directory with a b c d e ...");
}

TEST_CASE("open_model: PyTorch files that are no checkpoint get their own messages") {
  const std::string advice =
      "a PyTorch file that is no checkpoint of openai-whisper (convert it to safetensors, "
      "CTranslate2 or ggml)";
  CHECK(found_in_file("\x80\x02}q") ==
        "a pickle of torch before 1.6 (save it again with a newer one, or convert it to "
        "safetensors)");
  CHECK(found_in_file("PK\x03\x04readme.txt") == "a zip archive");
  const TemporaryFolder dir;
  std::ofstream(dir.path() / "pytorch_model.bin") << "PK\x03\x04";
  CHECK(found_in(dir.path()) == advice);
}

TEST_CASE("open_model: a pipe or a directory in a file's place does not hang or crash") {
  const TemporaryFolder dir;
  REQUIRE(mkfifo((dir.path() / "pipe").c_str(), 0600) == 0);
  CHECK(found_in(dir.path() / "pipe") == "a device, pipe or socket");
  fs::create_directory(dir.path() / "model.bin");
  CHECK_THROWS_WITH_AS(open_model(dir.path()),
                       doctest::Contains("model.bin: expected a readable file, found a directory"),
                       ModelError);
}

TEST_CASE("model_file: a tensor is given only with the shape asked for") {
  const auto file = open_in_memory(small_model());
  const std::vector<std::size_t> right = {32, 80, 3};
  const std::vector<std::size_t> wrong = {32, 128, 3};
  CHECK(file->tensor("encoder.conv1.weight", right).size() == 32 * 80 * 3);
  CHECK_THROWS_WITH_AS(file->tensor("encoder.conv1.weight", wrong),
                       "nano: encoder.conv1.weight: expected [32, 128, 3], found [32, 80, 3]",
                       ModelError);
  CHECK_THROWS_WITH_AS(file->tensor("encoder.conv3.weight", right),
                       "nano: encoder.conv3.weight: expected [32, 80, 3], found no tensor",
                       ModelError);
}

TEST_CASE("weights: every field has its tensor's values") {
  const NanoModel& model = small_model();
  const EncoderWeights encoder = encoder_weights(model);
  const DecoderWeights decoder = decoder_weights(model);
  const auto same = [&model](std::span<const float> values, const std::string& name) {
    CAPTURE(name);
    CHECK(std::ranges::equal(values, model.tensors.at(name).values));
  };
  same(encoder.conv1.weight.flat(), "encoder.conv1.weight");
  same(encoder.conv2.bias, "encoder.conv2.bias");
  same(encoder.positional_embedding.flat(), "encoder.positional_embedding");
  REQUIRE(encoder.layers.size() == 2);
  same(encoder.layers[1].attn_ln.gamma, "encoder.blocks.1.attn_ln.weight");
  same(encoder.layers[1].attn.query.weight.flat(), "encoder.blocks.1.attn.query.weight");
  same(encoder.layers[1].attn.key.weight.flat(), "encoder.blocks.1.attn.key.weight");
  CHECK(encoder.layers[1].attn.key.bias.empty());
  same(encoder.layers[1].attn.value.bias, "encoder.blocks.1.attn.value.bias");
  same(encoder.layers[0].attn.out.weight.flat(), "encoder.blocks.0.attn.out.weight");
  same(encoder.layers[0].mlp_ln.beta, "encoder.blocks.0.mlp_ln.bias");
  same(encoder.layers[0].mlp_0.weight.flat(), "encoder.blocks.0.mlp.0.weight");
  same(encoder.layers[0].mlp_2.bias, "encoder.blocks.0.mlp.2.bias");
  same(encoder.ln_post.gamma, "encoder.ln_post.weight");
  same(decoder.token_embedding.flat(), "decoder.token_embedding.weight");
  same(decoder.positional_embedding.flat(), "decoder.positional_embedding");
  REQUIRE(decoder.layers.size() == 1);
  same(decoder.layers[0].attn.out.bias, "decoder.blocks.0.attn.out.bias");
  same(decoder.layers[0].cross_attn_ln.gamma, "decoder.blocks.0.cross_attn_ln.weight");
  same(decoder.layers[0].cross_attn.key.weight.flat(), "decoder.blocks.0.cross_attn.key.weight");
  same(decoder.layers[0].cross_attn.value.bias, "decoder.blocks.0.cross_attn.value.bias");
  same(decoder.layers[0].mlp_ln.gamma, "decoder.blocks.0.mlp_ln.weight");
  same(decoder.layers[0].mlp_2.weight.flat(), "decoder.blocks.0.mlp.2.weight");
  same(decoder.ln.beta, "decoder.ln.bias");
  CHECK(encoder.conv2.weight.cols() == 32 * 3);
}
