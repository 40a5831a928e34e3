// A model whose channels were balanced computes what the model before did, bit by bit, in fp32:
// calibrated with no layer allowed an error, nothing is rounded.
#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "decoder/model/decoder.h"
#include "encoder/cpu/cpu_layer_backend.h"
#include "encoder/encoder.h"
#include "models/quantize/calibrate.h"
#include "models/weights/weights.h"
#include "tests/few_samples.h"
#include "tests/nano/nano_model.h"
#include "tests/support/random_matrix.h"

using namespace wnpu;  // NOLINT

namespace {

models::Dims dims_of(std::uint32_t seed) {
  models::Dims dims = tests::nano_dims();
  dims.n_audio_ctx = 40 + 10 * seed;
  dims.n_audio_state = dims.n_text_state = 32 * (1 + seed % 3);
  dims.n_audio_head = dims.n_text_head = seed % 2 == 0 ? 2 : 4;
  dims.n_audio_layer = 1 + seed % 2;
  dims.n_text_layer = 2 - seed % 2;
  return dims;
}

models::ProductInputs uneven_inputs(const models::ModelFile& file, std::uint32_t seed) {
  models::ProductInputs inputs;
  for (const models::ProductLayer& layer : models::product_layers(file.dims())) {
    if (layer.parts.front().ends_with("embedding")) continue;
    const std::size_t width = models::layer_weights(file, layer).cols();
    models::Matrix rows = tests::random_matrix(40, width, ++seed);
    for (std::size_t r = 0; r < 40; ++r) {
      for (std::size_t c = seed % 5; c < width; c += 9) rows.row(r)[c] *= 50;
    }
    inputs.emplace(layer.name(), std::move(rows));
  }
  return inputs;
}

// Logits for a window and a few tokens. The states between encoder and decoder have the factors of
// its last LayerNorm in them.
std::vector<float> logits_of(const models::ModelFile& file) {
  models::ThreadPool pool(2);
  const models::Dims& dims = file.dims();
  const encoder::PackedStemAndNorm ends(dims, models::find_encoder_ends(file), pool);
  const encoder::CpuLayers layers(models::Precision::fp32, dims, models::find_encoder_layers(file),
                                  pool);
  const auto backend = layers.make_backend(pool);
  encoder::Encoder encoder(ends, *backend, pool);
  const models::LogMel mel{tests::random_matrix(dims.n_mels, 2 * dims.n_audio_ctx, 5)};
  models::EncoderStates states;
  encoder.encode(mel, states);
  const decoder::PackedDecoder packed(dims, models::find_decoder_weights(file), pool);
  decoder::Decoder decoder(packed, pool);
  decoder::CrossKv window;
  decoder.cross_kv(states, window);
  std::vector<decoder::StepRow> rows;
  for (const models::TokenId token : {50258, 50259, 50359, 50364, 17, 400})
    rows.push_back({.token = token, .wants_logits = true, .window = &window});
  models::Matrix logits(rows.size(), dims.n_vocab);
  decoder::KvCache cache(dims, 1);
  decoder.step(cache, rows, logits.view());
  return {logits.flat().begin(), logits.flat().end()};
}

}  // namespace

TEST_CASE("balanced model: logits in fp32 are the model's, bit by bit") {
  for (std::uint32_t seed = 1; seed <= (tests::kFewSamples ? 1 : 5); ++seed) {
    CAPTURE(seed);
    const tests::NanoModel model = tests::make_nano_model({dims_of(seed), seed});
    const auto file = tests::open_in_memory(model);
    models::ThreadPool pool(2);
    const auto made =
        models::calibrate(pool, *file, uneven_inputs(*file, seed), {models::DType::i8_rows, 0.0});
    std::size_t n_balanced = 0;
    for (const models::QuantizedLayer& layer : made.layers) {
      CHECK(layer.stays_finer);
      const models::Matrix before = models::layer_weights(*file, layer.layer);
      const models::Matrix after = models::layer_weights(*made.model, layer.layer);
      n_balanced += std::ranges::equal(before.flat(), after.flat()) ? 0 : 1;
    }
    CHECK(n_balanced > made.layers.size() / 2);
    CHECK(logits_of(*file) == logits_of(*made.model));
  }
}
