// A device's memory for the layers of a model: what is planned, what is counted, and that a limit
// changes no bit.
#include <array>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "encoder/npu/layer_memory.h"
#include "encoder/npu/npu_backend.h"
#include "npu/sim/sim_device.h"
#include "tests/few_samples.h"
#include "tests/support/layer_call.h"
#include "tests/support/random_matrix.h"
#include "tests/support/text.h"

using namespace wnpu;  // NOLINT

namespace {

constexpr std::size_t kMemoryFrames = 20;
constexpr std::size_t kMemoryWidth = 64;
constexpr std::size_t kMemoryLayers = 4;

models::Dims memory_dims() {
  models::Dims dims;
  dims.n_audio_ctx = kMemoryFrames;
  dims.n_audio_state = kMemoryWidth;
  dims.n_audio_head = 1;
  dims.n_audio_layer = kMemoryLayers;
  return dims;
}

// Layers whose weights are on the device at once.
#ifdef WNPU_FEW_SAMPLES
constexpr std::array<std::size_t, 1> kResident{3};
#else
constexpr std::array<std::size_t, 3> kResident{1, 3, 4};
#endif

// Layers that differ.
models::EncoderWeights memory_weights() {
  models::EncoderWeights weights;
  for (std::size_t i = 0; i < kMemoryLayers; ++i) {
    weights.layers.push_back(tests::random_layer(kMemoryWidth, kMemoryWidth, 4 * kMemoryWidth));
    for (float& b : weights.layers.back().mlp_2.bias) b += static_cast<float>(i);
  }
  return weights;
}

struct Outcome {
  std::vector<float> states;
  npu::RunStats stats;
};

Outcome run_encoder(npu::Plan plan, std::optional<std::size_t> limit,
                    const std::vector<std::size_t>& order = {0, 1, 2, 3}) {
  const models::EncoderWeights weights = memory_weights();
  models::ThreadPool pool(2);
  const auto device = npu::open_sim_device();
  encoder::NpuOptions options;
  options.plan = plan;
  options.memory_limit = limit;
  const auto backend = encoder::make_npu_backend(*device, memory_dims(), weights, pool, options);
  models::Matrix x = tests::random_matrix(kMemoryFrames, kMemoryWidth, 3, 1.5);
  for (int window = 0; window < 2; ++window) {  // the second begins with the last layers' weights
    x = tests::random_matrix(kMemoryFrames, kMemoryWidth, 3, 1.5);
    backend->load(x.view());
    for (const std::size_t layer : order) backend->run_layer(layer);
    backend->store(x.view());
  }
  return {{x.flat().begin(), x.flat().end()}, device->stats()};
}

std::string refusal(npu::Plan plan, std::size_t limit) {
  return wnpu::tests::message_of<npu::DeviceError>([&] { run_encoder(plan, limit); });
}

std::size_t least_limit(npu::Plan plan) {
  const std::string message = refusal(plan, 1);
  const std::string before = "expected a memory limit of at least ";
  REQUIRE(message.find(before) != std::string::npos);
  return std::stoul(message.substr(message.find(before) + before.size()));
}

npu::LayerGeometry geometry() {
  return npu::layer_geometry(npu::npu1(), {kMemoryFrames, kMemoryWidth, 1, 4 * kMemoryWidth},
                             npu::Precision::bf16);
}

}  // namespace

TEST_CASE("npu memory: without a limit all weights, one scratch and two states") {
  const npu::LayerGeometry g = geometry();
  const std::size_t weights = kMemoryLayers * g.weights_bytes;
  for (const npu::Plan plan : {npu::Plan::fused, npu::Plan::batched}) {
    CHECK(run_encoder(plan, std::nullopt).stats.buffer_bytes ==
          weights + g.scratch_bytes + 2 * g.states_bytes);
  }
  CHECK(run_encoder(npu::Plan::hybrid, std::nullopt).stats.buffer_bytes ==
        weights + g.scratch_bytes + g.states_bytes);
}

TEST_CASE("npu memory: any limit that is not refused changes no bit and is kept") {
  const npu::LayerGeometry g = geometry();
  for (const npu::Plan plan : {npu::Plan::fused, npu::Plan::batched, npu::Plan::hybrid}) {
    const Outcome free = run_encoder(plan, std::nullopt);
    const std::size_t least = least_limit(plan);
    CHECK(least + (kMemoryLayers - 1) * g.weights_bytes == free.stats.buffer_bytes);
    for (const std::size_t resident : kResident) {
      const std::size_t limit = least + (resident - 1) * g.weights_bytes;
      const Outcome limited = run_encoder(plan, limit + g.weights_bytes / 2);
      CHECK(limited.states == free.states);
      CHECK(limited.stats.peak_buffer_bytes == limit);
      CHECK(limited.stats.launches == free.stats.launches);
      if (plan == npu::Plan::hybrid) continue;
      CHECK(limited.stats.submissions == 2 * ((kMemoryLayers + resident - 1) / resident));
    }
    CHECK(refusal(plan, least - 1).find("4 layers of width 64: expected a memory limit") !=
          std::string::npos);
  }
}

TEST_CASE("npu memory: layers in any order have the bits that they have without a limit") {
  const std::vector<std::vector<std::size_t>> orders{{1, 1, 3, 1, 0, 2}, {3, 2, 1, 0}, {}};
  const npu::LayerGeometry g = geometry();
  for (const auto& order : tests::some_of(orders)) {
    const Outcome free = run_encoder(npu::Plan::fused, std::nullopt, order);
    const std::size_t least = least_limit(npu::Plan::fused);
    for (const std::size_t resident : {1U, 2U}) {
      const std::size_t limit = least + (resident - 1) * g.weights_bytes;
      CHECK(run_encoder(npu::Plan::fused, limit, order).states == free.states);
    }
  }
}

TEST_CASE("npu memory: the calls of per-op share their buffers, and have a least limit too") {
  const std::size_t least = least_limit(npu::Plan::per_op);
  const Outcome limited = run_encoder(npu::Plan::per_op, least, {0});
  CHECK(limited.stats.peak_buffer_bytes == least);
  CHECK(limited.states == run_encoder(npu::Plan::per_op, std::nullopt, {0}).states);
  CHECK(refusal(npu::Plan::per_op, least - 1).find("plan per-op") != std::string::npos);
}

TEST_CASE("npu memory: a window's buffers are a fraction of what they would be apart") {
  const npu::LayerGeometry g = geometry();
  const encoder::LayerSteps steps{kMemoryLayers};
  for (std::size_t resident = 1; resident <= kMemoryLayers; ++resident) {
    std::vector<npu::BufferUse> uses;
    steps.add_weights(g, resident, uses);
    const npu::BufferPlan plan = npu::plan_buffers(uses);
    CHECK(plan.bytes() == resident * g.weights_bytes);
    CHECK(plan.apart_bytes == kMemoryLayers * g.weights_bytes);
    for (std::size_t i = 0; i < kMemoryLayers; ++i) CHECK(plan.place[i] == i % resident);
  }
}
