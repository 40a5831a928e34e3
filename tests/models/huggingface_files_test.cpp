// Any model, written as a HuggingFace folder, is the same model when it is opened again.
#include "models/files/huggingface_files.h"

#include <array>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "models/base/error.h"
#include "models/files/open_model.h"
#include "models/files/tensor_names.h"
#include "models/text/byte_level.h"
#include "tests/few_samples.h"
#include "tests/nano/nano_ctranslate2.h"
#include "tests/nano/nano_ggml.h"
#include "tests/nano/nano_safetensors.h"
#include "tests/support/small_model.h"
#include "tests/support/temporary_folder.h"

using namespace wnpu::models;
using namespace wnpu::tests;

namespace {

std::vector<float> stored_values_of(const ModelFile& file, const TensorSpec& spec) {
  const TensorView& view = file.tensor(spec.name, spec.shape);
  std::vector<float> values(view.size());
  dequantize(view, values);
  return values;
}

void check_rewritten(const std::filesystem::path& path) {
  const auto file = open_model(path);
  const TemporaryFolder folder;
  for (const StreamedFile& streamed : huggingface_files(*file)) {
    std::ofstream out(folder.path() / streamed.name, std::ios::binary);
    streamed.write([&](std::string_view part) { out << part; });
  }
  const auto again = open_model(folder.path());
  CHECK(again->dims() == file->dims());
  CHECK(again->token_bytes() == file->token_bytes());
  CHECK(again->config().suppress_tokens == file->config().suppress_tokens);
  CHECK(again->config().suppress_tokens_begin == file->config().suppress_tokens_begin);
  CHECK(again->config().alignment_heads == file->config().alignment_heads);
  std::size_t n_different = 0;
  for (const TensorSpec& spec : whisper_tensors(file->dims())) {
    n_different += stored_values_of(*file, spec) == stored_values_of(*again, spec) ? 0 : 1;
  }
  CHECK(n_different == 0);
}

}  // namespace

TEST_CASE("huggingface: models of all formats come back, values, lists and vocabulary") {
  const NanoModel& model = small_model();
  const TemporaryFolder folder;
  constexpr std::array kQuantizations{Ct2Quantization::int8, Ct2Quantization::float16};
  for (const auto quantization : some_of(kQuantizations)) {
    write(to_ctranslate2(model, quantization), folder.path() / "ct2");
    check_rewritten(folder.path() / "ct2");
  }
  constexpr std::array kFloats{DType::bf16, DType::f16, DType::f32};
  for (const DType dtype : some_of(kFloats)) {
    write(to_safetensors(model, dtype), folder.path() / "hf");
    check_rewritten(folder.path() / "hf");
  }
  constexpr std::array kBlocks{DType::q5_1, DType::f16};
  for (const DType dtype : some_of(kBlocks)) {
    write(to_ggml(model, dtype), folder.path() / "ggml.bin");
    check_rewritten(folder.path() / "ggml.bin");
  }
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
