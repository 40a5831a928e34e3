// Every NPU plan on the simulated device is the same encoder: against fp64, with its launches.
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "encoder/npu/npu_backend.h"
#include "npu/sim/sim_device.h"
#include "tests/few_samples.h"
#include "tests/support/difference.h"
#include "tests/support/layer_call.h"
#include "tests/support/random_matrix.h"
#include "tests/support/reference_layer.h"
#include "tests/support/tolerances.h"

using namespace wnpu;  // NOLINT

namespace {

constexpr std::size_t kPlanFrames = 24;
constexpr std::size_t kLayers = 2;

models::Dims plan_dims() {
  models::Dims dims;
  dims.n_audio_ctx = kPlanFrames;
  dims.n_audio_state = 128;
  dims.n_audio_head = 2;
  dims.n_audio_layer = kLayers;
  return dims;
}

models::EncoderWeights plan_weights() {
  models::EncoderWeights weights;
  for (std::size_t i = 0; i < kLayers; ++i) {
    weights.layers.push_back(tests::random_layer(128, 128, 512));
    for (float& b : weights.layers.back().mlp_2.bias) b += static_cast<float>(i);
  }
  return weights;
}

struct PlanResult {
  std::vector<float> states;
  npu::RunStats stats;
};

PlanResult run_options(const encoder::NpuOptions& options, std::size_t layers = kLayers,
                       std::size_t threads = 2) {
  const models::Dims dims = plan_dims();
  const models::EncoderWeights weights = plan_weights();
  models::ThreadPool pool(threads);
  const auto device = npu::open_sim_device();
  const auto backend = encoder::make_npu_backend(*device, dims, weights, pool, options);
  CHECK(backend->n_layers() == kLayers);
  models::Matrix x = tests::random_matrix(kPlanFrames, 128, 3, 1.5);
  backend->load(x.view());
  for (std::size_t layer = 0; layer < layers; ++layer) backend->run_layer(layer);
  backend->store(x.view());
  return {{x.flat().begin(), x.flat().end()}, device->stats()};
}

PlanResult run_plan(npu::Plan plan, std::size_t layers = kLayers, std::size_t threads = 2) {
  encoder::NpuOptions options;
  options.plan = plan;
  return run_options(options, layers, threads);
}

void check_plan(npu::Plan plan, std::size_t launches_a_layer, std::size_t submissions) {
  const PlanResult result = run_plan(plan);
  auto rows = tests::to_rows(tests::random_matrix(kPlanFrames, 128, 3, 1.5).view());
  for (const auto& layer : plan_weights().layers) tests::reference_encoder_layer(rows, layer, 2);
  const double error = tests::nmse(result.states, tests::flatten(rows));
  MESSAGE(npu::plan_name(plan), ": NMSE ", error, ", ", result.stats.launches,
          " launches, modelled ", result.stats.modelled_ms, " ms");
  CHECK(error < 2 * tests::tolerance::kBf16LayerNmse);
  CHECK(result.stats.launches == kLayers * launches_a_layer);
  CHECK(result.stats.submissions == submissions);
}

}  // namespace

TEST_CASE("npu plans: fused is one launch a layer and one submission a window") {
  check_plan(npu::Plan::fused, 1, 1);
}

TEST_CASE("npu plans: batched is one launch an operation") { check_plan(npu::Plan::batched, 7, 1); }

TEST_CASE("npu plans: hybrid is one launch a product") {
  check_plan(npu::Plan::hybrid, 4, kLayers * 4);
}

TEST_CASE("npu plans: per-op is a launch a row, a row and head, and 512 elements") {
  constexpr std::size_t kCalls = kPlanFrames * (2 + 2 + 1);
  check_plan(npu::Plan::per_op, kCalls, kLayers * kCalls);
}

TEST_CASE("npu plans: a tuned plan has its calls and the bits of the plan by hand") {
  const std::vector<float> by_hand = run_plan(npu::Plan::fused).states;
  encoder::NpuOptions options;
  options.tuned = npu::PlanFile{
      &npu::npu1(),
      npu::Precision::bf16,
      {kPlanFrames, 128, 2, 512},
      {{.qkv_tile = 32, .norm_rows = 8, .qkv_row_blocks = 3, .attends_padding = false},
       {{npu::LayerOp::norm1, npu::LayerOp::attend}, {npu::LayerOp::out, npu::LayerOp::down}}}};
  const PlanResult tuned = run_options(options);
  CHECK(tuned.states == by_hand);
  CHECK(tuned.stats.launches == 2 * kLayers);
  options.tuned->shape.frames += 1;
  CHECK_THROWS_AS(run_options(options), npu::DeviceError);
}

TEST_CASE("npu plans: the number of threads does not change a bit") {
  for (const npu::Plan plan : {npu::Plan::hybrid, npu::Plan::per_op}) {
    CAPTURE(npu::plan_name(plan));
    const auto one = run_plan(plan, kLayers, 1).states;
    constexpr std::array kThreads{5UL, 2UL};
    for (const std::size_t threads : tests::some_of(kThreads))
      CHECK(run_plan(plan, kLayers, threads).states == one);
  }
}

TEST_CASE("npu plans: layers are told apart, and no layer at all gives the states back") {
  const auto one = run_plan(npu::Plan::fused, 1).states;
  CHECK(tests::nmse(one, run_plan(npu::Plan::fused, 2).states) > 1e-3);
  const auto x = tests::random_matrix(kPlanFrames, 128, 3, 1.5);
  CHECK(tests::nmse(run_plan(npu::Plan::fused, 0).states, x.flat()) < 1e-5);  // bf16
}

TEST_CASE("npu plans: a failure names the run, and the next window is right again") {
  const models::Dims dims = plan_dims();
  const models::EncoderWeights weights = plan_weights();
  npu::SimDeviceOptions device_options;
  device_options.failure = {npu::InjectedFailure::Kind::command_error, 1};
  const auto device = npu::open_sim_device(device_options);
  encoder::NpuLayerBackend backend(*device, dims, weights);
  const models::Matrix x = tests::random_matrix(kPlanFrames, 128, 3, 1.5);
  models::Matrix y(kPlanFrames, 128);
  const auto window = [&] {
    backend.load(x.view());
    for (std::size_t layer = 0; layer < kLayers; ++layer) backend.run_layer(layer);
    backend.store(y.view());
  };
  CHECK_THROWS_WITH_AS(window(), "simulated NPU: run 2 of 2: command failed (injected)",
                       npu::DeviceError);
  window();
  CHECK(std::vector<float>(y.flat().begin(), y.flat().end()) == run_plan(npu::Plan::fused).states);
}

TEST_CASE("npu plans: hybrid takes another function for GELU, on all rows") {
  const auto run_with = [](std::function<void(std::span<float>)> gelu) {
    const models::Dims dims = plan_dims();
    const models::EncoderWeights weights = plan_weights();
    models::ThreadPool pool(2);
    const auto device = npu::open_sim_device();
    encoder::NpuOptions options;
    options.plan = npu::Plan::hybrid;
    options.gelu = std::move(gelu);
    const auto backend = encoder::make_npu_backend(*device, dims, weights, pool, options);
    models::Matrix x = tests::random_matrix(kPlanFrames, 128, 3, 1.5);
    backend->load(x.view());
    backend->run_layer(0);
    backend->store(x.view());
    return std::vector<float>(x.flat().begin(), x.flat().end());
  };
  const auto own = run_with({});
  std::atomic<std::size_t> n_values = 0;
  const auto exact = run_with([&](std::span<float> values) {
    n_values += values.size();
    for (float& v : values) v = v / 2 * std::erfc(-v * 0.70710678F);
  });
  CHECK(n_values == kPlanFrames * 512);
  CHECK(tests::nmse(exact, own) < 1e-6);
  CHECK(tests::nmse(run_with([](std::span<float> values) { std::ranges::fill(values, 0.0F); }),
                    own) > 1e-3);
}

TEST_CASE("npu plans: states of another shape, int8 without its LayerNorm: refused") {
  const models::Dims dims = plan_dims();
  const models::EncoderWeights weights = plan_weights();
  const auto device = npu::open_sim_device();
  models::ThreadPool pool(1);
  encoder::NpuLayerBackend backend(*device, dims, weights);
  const models::Matrix wrong(kPlanFrames, 64);
  CHECK_THROWS_WITH_AS(backend.load(wrong.view()),
                       "npu backend: states: expected [24, 128], found [24, 64]",
                       std::invalid_argument);
  encoder::NpuOptions options;
  options.precision = npu::Precision::int8;
  options.plan = npu::Plan::hybrid;
  CHECK_THROWS_WITH_AS(encoder::make_npu_backend(*device, dims, weights, pool, options),
                       "npu backend: plan hybrid: expected precision bf16, found int8",
                       npu::DeviceError);
  options.plan = npu::Plan::fused;
  models::Dims narrow = dims;
  narrow.n_audio_state = 64;
  CHECK_THROWS_AS(encoder::make_npu_backend(*device, narrow, weights, pool, options),
                  npu::DeviceError);
}
