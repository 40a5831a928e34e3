// Models that others wrote: the nano models of tests/data in three formats, and tiny.en.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "models/files/model_file.h"
#include "models/files/open_model.h"
#include "models/files/tensor_names.h"
#include "models/text/vocabulary.h"
#include "models/weights/weights.h"
#include "tests/nano/nano_golden.h"
#include "tests/support/fetched_files.h"

using namespace wnpu::kernels;
using namespace wnpu::models;
using namespace wnpu::tests;

namespace {

std::vector<float> golden_values(const ModelFile& file, const TensorSpec& spec) {
  const TensorView& view = file.tensor(spec.name, spec.shape);
  std::vector<float> values(view.size());
  dequantize(view, values);
  return values;
}

// tests/data/reference/nano_models.py.
Dims golden_dims(std::size_t n_mels, std::size_t n_vocab, std::size_t heads) {
  return {.n_mels = n_mels,
          .n_audio_ctx = 1500,
          .n_audio_state = 64,
          .n_audio_head = heads,
          .n_audio_layer = 2,
          .n_vocab = n_vocab,
          .n_text_ctx = 448,
          .n_text_state = 64,
          .n_text_head = heads,
          .n_text_layer = 2};
}

void check_nano(const std::string& name, const Dims& dims) {
  const auto dir = nano_golden_dir(name);
  const auto ct2 = open_model(dir / "ct2");
  const auto hf = open_model(dir / "hf");
  const auto ggml = open_model(dir / "ggml/ggml-model.bin");
  for (const auto* file : {ct2.get(), hf.get(), ggml.get()}) {
    CHECK(file->dims() == dims);
    CHECK(file->main_dtype() == "f16");
  }
  for (const TensorSpec& spec : whisper_tensors(dims)) {
    CAPTURE(spec.name);
    const auto values = golden_values(*ct2, spec);
    CHECK(values == golden_values(*hf, spec));
    CHECK(values == golden_values(*ggml, spec));
  }
  CHECK(ct2->token_bytes().size() == 50257);
  CHECK(ct2->token_bytes() == ggml->token_bytes());
  CHECK(ct2->config().alignment_heads == hf->config().alignment_heads);
  CHECK(ct2->config().suppress_tokens == hf->config().suppress_tokens);
  CHECK(ct2->config().suppress_tokens.size() == 88);
}

}  // namespace

TEST_CASE("golden: nano80 is the same through all three formats") {
  check_nano("nano80", golden_dims(80, 51865, 2));
}

TEST_CASE("golden: nano128 is the same through all three formats") {
  check_nano("nano128", golden_dims(128, 51866, 1));
}

TEST_CASE("golden: tiny.en opens with openai/whisper's dims, lists and vocabulary") {
  const auto dir = tiny_en_dir();
  if (!dir) return;
  const auto file = open_model(*dir);
  // openai/whisper tiny.en.pt, "dims".
  CHECK(file->dims() == Dims{.n_mels = 80,
                             .n_audio_ctx = 1500,
                             .n_audio_state = 384,
                             .n_audio_head = 6,
                             .n_audio_layer = 4,
                             .n_vocab = 51864,
                             .n_text_ctx = 448,
                             .n_text_state = 384,
                             .n_text_head = 6,
                             .n_text_layer = 4});
  CHECK(file->main_dtype() == "f16");
  CHECK(file->config().alignment_heads.size() == 8);
  const Vocabulary vocabulary(file->token_bytes(), file->dims(), file->path());
  CHECK(vocabulary.decode(std::vector<TokenId>{15496, 995}) == "Hello world");
  CHECK(load_encoder_weights(*file).layers.size() == 4);
  CHECK(load_decoder_weights(*file).layers.size() == 4);
}
