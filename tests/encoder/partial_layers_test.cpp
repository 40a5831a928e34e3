// A layer's heads and hidden columns divided among devices: the parts' sums are the layer, in any
// number of parts, and what is synced is the states alone.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "encoder/npu/npu_partial_layers.h"
#include "npu/plans/split.h"
#include "npu/sim/sim_device.h"
#include "tests/few_samples.h"
#include "tests/support/difference.h"
#include "tests/support/layer_call.h"
#include "tests/support/random_matrix.h"
#include "tests/support/reference_layer.h"
#include "tests/support/tolerances.h"

using namespace wnpu;  // NOLINT

namespace {

constexpr std::size_t kPartialFrames = 24;
constexpr std::size_t kPartialWidth = 256;
constexpr std::size_t kHeads = kPartialWidth / 64;

models::Dims partial_dims() {
  models::Dims dims;
  dims.n_audio_ctx = kPartialFrames;
  dims.n_audio_state = kPartialWidth;
  dims.n_audio_head = kHeads;
  dims.n_audio_layer = 1;
  return dims;
}

models::EncoderWeights partial_weights() {
  models::EncoderWeights weights;
  weights.layers.push_back(tests::random_layer(kPartialWidth, kPartialWidth, 4 * kPartialWidth));
  return weights;
}

struct Result {
  std::vector<float> states;
  std::vector<npu::RunStats> stats;  // a device
};

// One layer by these parts, a device each, added up in their order.
Result run_parts(const std::vector<npu::LayerPart>& parts,
                 npu::Precision precision = npu::Precision::bf16) {
  const models::EncoderWeights weights = partial_weights();
  models::Matrix x = tests::random_matrix(kPartialFrames, kPartialWidth, 3, 1.5);
  std::vector<std::unique_ptr<npu::Device>> devices;
  std::vector<std::unique_ptr<encoder::NpuPartialLayers>> layers;
  for (const npu::LayerPart& part : parts) {
    devices.push_back(npu::open_sim_device());
    layers.push_back(
        std::make_unique<encoder::NpuPartialLayers>(*devices.back(), partial_dims(), weights, part,
                                                    encoder::NpuOptions{.precision = precision}));
    devices.back()->reset_stats();  // the weights' way
  }
  models::Matrix sum(kPartialFrames, kPartialWidth);
  for (const encoder::Half half : {encoder::Half::attention, encoder::Half::mlp}) {
    models::Matrix before(kPartialFrames, kPartialWidth);
    models::copy(x.view(), before.view());
    for (const auto& part : layers) {
      part->run_half(0, half, before.view(), sum.view());
      for (std::size_t i = 0; i < x.flat().size(); ++i) x.flat()[i] += sum.flat()[i];
    }
  }
  Result result{{x.flat().begin(), x.flat().end()}, {}};
  for (const auto& device : devices) result.stats.push_back(device->stats());
  return result;
}

double error_of(const std::vector<float>& states) {
  auto rows = tests::to_rows(tests::random_matrix(kPartialFrames, kPartialWidth, 3, 1.5).view());
  tests::reference_encoder_layer(rows, partial_weights().layers.front(), kHeads);
  return tests::nmse(states, tests::flatten(rows));
}

}  // namespace

TEST_CASE("partial layers: the parts' sums are the layer, in any number of parts") {
  const npu::LayerShape shape{kPartialFrames, kPartialWidth, kHeads, 4 * kPartialWidth};
  for (std::size_t n = 1; n <= kHeads; n += tests::kFewSamples ? kHeads - 1 : 1) {
    CAPTURE(n);
    const Result found = run_parts(npu::divide_heads(shape, n));
    CHECK(error_of(found.states) < tests::tolerance::kBf16LayerNmse);
    CHECK(run_parts(npu::divide_heads(shape, n)).states == found.states);
    const std::size_t states_bytes =
        npu::layer_geometry(npu::npu1(), shape, npu::Precision::bf16).states_bytes;
    for (const npu::RunStats& stats : found.stats) {
      CHECK(stats.launches == 2);
      CHECK(stats.to_device_bytes == 2 * states_bytes);
      CHECK(stats.from_device_bytes == 2 * states_bytes);
    }
  }
}

TEST_CASE("partial layers: uneven parts, and int8") {
  const std::vector<npu::LayerPart> parts{{0, 3, 0, 64}, {3, 1, 64, 4 * kPartialWidth - 64}};
  CHECK(error_of(run_parts(parts).states) < tests::tolerance::kBf16LayerNmse);
  const double error = error_of(run_parts(parts, npu::Precision::int8).states);
  MESSAGE("int8: NMSE ", error);
  CHECK(error < tests::tolerance::kInt8LayerNmse);
}

TEST_CASE("partial layers: a part that is left out is missed") {
  const std::vector<npu::LayerPart> half{{0, 2, 0, 2 * kPartialWidth}};
  CHECK(error_of(run_parts(half).states) > 100 * tests::tolerance::kBf16LayerNmse);
}

TEST_CASE("partial layers: what cannot be a part is refused") {
  const auto device = npu::open_sim_device();
  const models::EncoderWeights weights = partial_weights();
  const auto make = [&](const npu::LayerPart& part, npu::Plan plan = npu::Plan::fused) {
    return encoder::NpuPartialLayers(*device, partial_dims(), weights, part, {.plan = plan});
  };
  for (const npu::LayerPart& part :
       {npu::LayerPart{0, 5, 0, 64}, npu::LayerPart{4, 1, 0, 64}, npu::LayerPart{0, 0, 0, 64},
        npu::LayerPart{0, 1, 0, 0}, npu::LayerPart{0, 1, 32, 64}, npu::LayerPart{0, 1, 0, 96},
        npu::LayerPart{0, 1, 64, 4 * kPartialWidth}}) {
    CHECK_THROWS_AS(make(part), npu::DeviceError);
  }
  CHECK_THROWS_WITH_AS(make({0, 4, 0, 4 * kPartialWidth}, npu::Plan::batched),
                       doctest::Contains("expected plan fused, found batched"), npu::DeviceError);
  CHECK_THROWS_AS(
      npu::divide_heads({kPartialFrames, kPartialWidth, kHeads, 4 * kPartialWidth}, kHeads + 1),
      std::invalid_argument);
}
