// The encoder's NPU backend, unchanged, on XRT: it must give the bits that the simulator gives.
#include <cstring>
#include <vector>

#include <doctest/doctest.h>

#include "encoder/npu/npu_backend.h"
#include "npu/plans/plan.h"
#include "npu/sim/sim_device.h"
#include "tests/support/layer_call.h"
#include "tests/support/random_matrix.h"
#include "tests/xdna_mock/array_executor.h"
#include "tests/xdna_mock/device_fixture.h"
#include "tests/xdna_mock/overlay_folder.h"

namespace wnpu::tests {
namespace {

constexpr std::size_t kFrames = 24;
constexpr std::size_t kWidth = 128;
constexpr std::size_t kHidden = 4 * kWidth;

models::Dims dims() {
  models::Dims dims;
  dims.n_audio_ctx = kFrames;
  dims.n_audio_state = kWidth;
  dims.n_audio_head = 2;
  dims.n_audio_layer = 2;
  return dims;
}

// Two windows of two layers, so that whatever is made once is used again.
std::vector<float> states_after(npu::Device& device, npu::Plan plan) {
  models::EncoderWeights weights;
  for (std::size_t i = 0; i < dims().n_audio_layer; ++i) {
    weights.layers.push_back(random_layer(kWidth, kWidth, kHidden));
  }
  models::ThreadPool pool(2);
  encoder::NpuOptions options;
  options.plan = plan;
  const auto backend = encoder::make_npu_backend(device, dims(), weights, pool, options);
  models::Matrix x = random_matrix(kFrames, kWidth, 3, 1.5);
  for (int window = 0; window < 2; ++window) {
    backend->load(x.view());
    for (std::size_t layer = 0; layer < backend->n_layers(); ++layer) backend->run_layer(layer);
    backend->store(x.view());
  }
  return {x.flat().begin(), x.flat().end()};
}

void check_plan(npu::Plan plan) {
  const auto calls =
      calls_of_model({kFrames, kWidth, dims().n_audio_head, kHidden}, npu::Precision::bf16);
  const OverlayFolder folder(calls);
  const auto device = open_device_under_test({.bdf = {}, .xclbin = folder.xclbin()});
  const auto simulator = npu::open_sim_device();
  const std::vector<float> expected = states_after(*simulator, plan);
  const std::vector<float> found = states_after(*device, plan);
  CHECK(all_finite(expected));
  REQUIRE(found.size() == expected.size());
  CHECK(std::memcmp(found.data(), expected.data(), found.size() * sizeof(float)) == 0);
  CHECK(device->stats().launches == simulator->stats().launches);
}

}  // namespace

TEST_CASE("xrt: the encoder's backend gives the simulator's bits, fused") {
  check_plan(npu::Plan::fused);
}

TEST_CASE("xrt: the encoder's backend gives the simulator's bits, batched") {
  check_plan(npu::Plan::batched);
}

TEST_CASE("xrt: the encoder's backend gives the simulator's bits, hybrid") {
  check_plan(npu::Plan::hybrid);
}

}  // namespace wnpu::tests
