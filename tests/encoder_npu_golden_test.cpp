// The simulated NPU against openai-whisper on jfk.wav, real weights: cosine of each layer and of
// the final states.
#include <cmath>
#include <filesystem>
#include <string>

#include <doctest/doctest.h>

#include "encoder/npu_layer_backend.h"
#include "models/model_file.h"
#include "models/ops.h"
#include "models/weights.h"
#include "npu/sim_device.h"
#include "tests/difference.h"
#include "tests/jfk_golden.h"
#include "tests/tolerances.h"

using namespace wnpu;  // NOLINT

namespace {

void check_window(npu::Precision precision, double layer_cosine, double final_cosine) {
  const auto jfk = tests::jfk_golden();
  if (!jfk) return;
  const auto weights = models::load_encoder_weights(*jfk->file);
  npu::SimDeviceOptions options;
  options.threads = 2;
  const auto device = npu::open_sim_device(options);
  encoder::NpuOptions npu_options;
  npu_options.precision = precision;
  encoder::NpuLayerBackend backend(*device, jfk->file->dims(), weights, npu_options);

  // Each layer on its own golden input, then all layers one after the other.
  const models::Matrix stem = jfk->stage("enc_stem.npy");
  models::Matrix states(stem.rows(), stem.cols());
  models::Matrix input = jfk->stage("enc_stem.npy");
  for (std::size_t layer = 0; layer < backend.n_layers(); ++layer) {
    const auto golden = jfk->stage("enc_block" + std::to_string(layer) + ".npy");
    backend.load(input.view());
    backend.run_layer(layer);
    backend.store(states.view());
    const double cosine = tests::cosine(states.flat(), golden.flat());
    MESSAGE("simulated layer ", layer, ": cosine ", cosine, ", NMSE ",
            tests::nmse(states.flat(), golden.flat()));
    CHECK(cosine >= layer_cosine);
    std::copy(golden.flat().begin(), golden.flat().end(), input.flat().begin());
  }
  device->reset_stats();
  backend.load(stem.view());
  for (std::size_t layer = 0; layer < backend.n_layers(); ++layer) backend.run_layer(layer);
  backend.store(states.view());
  models::Matrix normed(stem.rows(), stem.cols());
  models::ThreadPool pool(1);
  models::layer_norm(pool, states.view(), weights.ln_post, normed.view());
  const auto golden = jfk->stage("enc_ln_post.npy");
  const double cosine = tests::cosine(normed.flat(), golden.flat());
  MESSAGE("simulated window: cosine of the final states ", cosine, ", ", device->stats().launches,
          " launches, modelled ", device->stats().modelled_ms, " ms, simulated in ",
          device->stats().wall_ms / 1e3, " s");
  CHECK(cosine >= final_cosine);
  CHECK(device->stats().launches == backend.n_layers());
  CHECK(device->stats().submissions == 1);
}

}  // namespace

TEST_CASE("npu backend: bf16 layers and final states are close to openai-whisper on jfk") {
  check_window(npu::Precision::bf16, tests::tolerance::kBf16LayerCosine,
               tests::tolerance::kBf16EncoderCosine);
}

TEST_CASE("npu backend: int8 layers and final states are close to openai-whisper on jfk") {
  check_window(npu::Precision::int8, tests::tolerance::kInt8LayerCosine,
               tests::tolerance::kInt8EncoderCosine);
}
