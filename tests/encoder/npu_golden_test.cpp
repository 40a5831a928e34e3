// The simulated NPU against openai-whisper on jfk.wav, real weights: cosine of each layer and of
// the final states.
#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "encoder/cpu/cpu_layer_backend.h"
#include "encoder/npu/npu_layer_backend.h"
#include "encoder/stem.h"
#include "models/files/model_file.h"
#include "models/kernels/vectors/ops.h"
#include "models/weights/weights.h"
#include "npu/sim/sim_device.h"
#include "tests/support/difference.h"
#include "tests/support/first_window.h"
#include "tests/support/jfk_reference.h"
#include "tests/support/tolerances.h"

using namespace wnpu;  // NOLINT

namespace {

// Inputs of each layer, and the last one's output, in fp32: encoder/golden_test.cpp proves it.
std::vector<models::Matrix> layer_states(const tests::JfkReference& jfk,
                                         const models::EncoderWeights& weights) {
  const models::Dims& dims = jfk.file->dims();
  models::ThreadPool pool(2);
  std::vector<models::Matrix> states;
  const auto next = [&]() -> models::Matrix& {
    return states.emplace_back(dims.n_audio_ctx, dims.n_audio_state);
  };
  const encoder::PackedStemAndNorm ends(dims, weights, pool);
  encoder::Stem(ends, pool.n_threads())
      .run(pool, tests::first_window(jfk.recording, dims.n_mels), next().view());
  const encoder::CpuLayers layers(models::Precision::fp32, dims, models::tensors_of(weights.layers),
                                  pool);
  const auto backend = layers.make_backend(pool);
  backend->load(states[0].view());
  for (std::size_t layer = 0; layer < backend->n_layers(); ++layer) {
    backend->run_layer(layer);
    backend->store(next().view());
  }
  return states;
}

models::Matrix kept_states(const models::Matrix& states) {
  return tests::every_row(states.view(), tests::kEveryPosition);
}

void check_window(npu::Precision precision, double layer_cosine, double final_cosine) {
  const auto jfk = tests::jfk_reference();
  if (!jfk) return;
  const auto weights = models::load_encoder_weights(*jfk->file);
  npu::SimDeviceOptions options;
  options.threads = 2;
  const auto device = npu::open_sim_device(options);
  encoder::NpuOptions npu_options;
  npu_options.precision = precision;
  encoder::NpuLayerBackend backend(*device, jfk->file->dims(), weights, npu_options);

  // Each layer on its own exact input, then all layers one after the other.
  const auto inputs = layer_states(*jfk, weights);
  models::Matrix states(inputs[0].rows(), inputs[0].cols());
  for (std::size_t layer = 0; layer < backend.n_layers(); ++layer) {
    const auto golden = tests::data_matrix("jfk/layer_" + std::to_string(layer) + ".npy");
    backend.load(inputs[layer].view());
    backend.run_layer(layer);
    backend.store(states.view());
    const double cosine = tests::cosine(kept_states(states).flat(), golden.flat());
    MESSAGE("simulated layer ", layer, ": cosine ", cosine, ", NMSE ",
            tests::nmse(kept_states(states).flat(), golden.flat()));
    CHECK(cosine >= layer_cosine);
  }
  device->reset_stats();
  backend.load(inputs[0].view());
  for (std::size_t layer = 0; layer < backend.n_layers(); ++layer) backend.run_layer(layer);
  backend.store(states.view());
  models::Matrix normed(states.rows(), states.cols());
  models::ThreadPool pool(1);
  kernels::layer_norm(pool, states.view(), weights.ln_post, normed.view());
  const auto golden = tests::data_matrix("jfk/states.npy");
  const double cosine = tests::cosine(kept_states(normed).flat(), golden.flat());
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
