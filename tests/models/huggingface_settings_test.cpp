// Settings of any model, as HuggingFace spells them, are read back.
#include "models/files/huggingface_settings.h"

#include <fstream>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "models/base/error.h"
#include "models/files/open_model.h"
#include "models/text/byte_level.h"
#include "tests/nano/nano_ctranslate2.h"
#include "tests/nano/nano_ggml.h"
#include "tests/nano/nano_safetensors.h"
#include "tests/support/small_model.h"
#include "tests/support/temporary_folder.h"

using namespace wnpu::models;
using namespace wnpu::tests;

namespace {

// The settings of the model at `path`, with the tensors of a HuggingFace folder of the same model.
void check_settings(const std::filesystem::path& path) {
  const auto file = open_model(path);
  const TemporaryFolder folder;
  write(to_safetensors(small_model(), DType::f16), folder.path());
  for (const StreamedFile& streamed : huggingface_settings(*file)) {
    std::ofstream out(folder.path() / streamed.name, std::ios::binary);
    streamed.write([&](std::string_view part) { out << part; });
  }
  const auto again = open_model(folder.path());
  CHECK(again->dims() == file->dims());
  CHECK(again->token_bytes() == file->token_bytes());
  CHECK(again->config().suppress_tokens == file->config().suppress_tokens);
  CHECK(again->config().suppress_tokens_begin == file->config().suppress_tokens_begin);
  CHECK(again->config().alignment_heads == file->config().alignment_heads);
}

}  // namespace

TEST_CASE("huggingface: dims, lists and vocabulary of models of all formats come back") {
  const NanoModel& model = small_model();
  const TemporaryFolder folder;
  write(to_ctranslate2(model, Ct2Quantization::int8), folder.path() / "ct2");
  check_settings(folder.path() / "ct2");
  write(to_safetensors(model, DType::bf16), folder.path() / "hf");
  check_settings(folder.path() / "hf");
  write(to_ggml(model, DType::q5_1), folder.path() / "ggml.bin");
  check_settings(folder.path() / "ggml.bin");
}

TEST_CASE("huggingface: two ids of one token are refused") {
  NanoModel model = small_model();
  model.token_bytes[300] = model.token_bytes[7];
  CHECK_THROWS_WITH_AS(huggingface_settings(*open_in_memory(model)),
                       doctest::Contains("at ids 7 and 300"), ModelError);
}

TEST_CASE("byte level: every byte has a spelling, which stands for it") {
  for (int byte = 0; byte < 256; ++byte) {
    const std::string text(3, static_cast<char>(byte));
    CHECK(bytes_of_spelling(spelling_of_bytes(text)) == text);
  }
}
