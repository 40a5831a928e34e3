// A transformer layer on the simulated array against fp64, for both arrays, both precisions and the
// plans that keep states on the device.
#include <string>

#include <doctest/doctest.h>

#include "npu/plans/plan.h"
#include "npu/sim/sim_device.h"
#include "tests/support/difference.h"
#include "tests/support/layer_call.h"
#include "tests/support/reference_layer.h"
#include "tests/support/tolerances.h"

using namespace wnpu;  // NOLINT
using namespace wnpu::npu;

namespace {

std::unique_ptr<Device> open_layer(const std::string& preset, int threads = 2) {
  SimDeviceOptions options;
  options.preset = preset;
  options.threads = threads;
  return open_sim_device(options);
}

void check_layer(LayerShape shape, Precision precision, double tolerance) {
  CAPTURE(shape.frames);
  CAPTURE(shape.width);
  const auto device = open_layer("phoenix-1.0/published");
  tests::LayerCallFixture call(*device, shape, precision);
  const auto result = call.run();
  auto rows = tests::to_rows(call.states().view());
  tests::reference_encoder_layer(rows, call.weights(), shape.heads);
  const double error = tests::nmse(result, tests::flatten(rows));
  MESSAGE((precision == Precision::int8 ? "int8 " : "bf16 "), shape.frames, "x", shape.width,
          ": NMSE ", error);
  CHECK(error < tolerance);
}

}  // namespace

TEST_CASE("layer: fused agrees with fp64") {
  for (const LayerShape& shape : {LayerShape{100, 128, 2, 512},
                                  {50, 128, 2, 512},
                                  {33, 192, 3, 768},  // columns are idle
                                  {33, 64, 1, 192},   // tiles that are not 64 wide
                                  {8, 1280, 20, 64},  // rows of 1280, two an element
                                  {20, 64, 1, 4096},  // a hidden block beyond mem tiles
                                  {800, 64, 1, 64},   // two waves of queries, two row blocks
                                  {50, 384, 1, 192},  // fewer heads than the width has room for
                                  {20, 256, 3, 128}}) {
    check_layer(shape, Precision::bf16, tests::tolerance::kBf16LayerNmse);
  }
  for (const LayerShape& shape :
       {LayerShape{100, 128, 2, 512}, {50, 384, 1, 192}, {20, 256, 3, 128}}) {
    check_layer(shape, Precision::int8, tests::tolerance::kInt8LayerNmse);
  }
}

TEST_CASE("layer: batched gives the fused result, bit by bit") {
  const auto device = open_layer("phoenix-1.0/published");
  for (const auto& [shape, precision] :
       {std::pair{LayerShape{60, 128, 2, 256}, Precision::bf16},
        {LayerShape{60, 128, 2, 256}, Precision::int8},
        {LayerShape{300, 256, 3, 128}, Precision::bf16}}) {  // fewer heads
    tests::LayerCallFixture fused(*device, shape, precision);
    tests::LayerCallFixture batched(*device, shape, precision, layer_calls(Plan::batched));
    CHECK(fused.run() == batched.run());
  }
}

TEST_CASE("layer: npu4 gives npu1's result, bit by bit") {
  const auto npu1 = open_layer("phoenix-1.0/published");
  const auto npu4 = open_layer("strix-1.8/published");
  for (const auto& [each, precision] :
       {std::pair{LayerShape{60, 128, 2, 256}, Precision::bf16},
        {LayerShape{60, 128, 2, 256}, Precision::int8},
        {LayerShape{8, 1280, 20, 64}, Precision::bf16},
        {LayerShape{20, 64, 1, 4096}, Precision::bf16},  // a hidden block beyond mem tiles
        {LayerShape{800, 256, 3, 128}, Precision::bf16}}) {
    const LayerShape shape = each;  // Clang captures no structured binding
    CAPTURE(shape.frames);
    CAPTURE(shape.width);
    tests::LayerCallFixture expected(*npu1, shape, precision);
    const auto result = expected.run();
    for (const Plan plan : {Plan::fused, Plan::batched}) {
      tests::LayerCallFixture found(*npu4, shape, precision, layer_calls(plan));
      CHECK(found.run() == result);
    }
  }
  // Weights and keys that each half reads by itself: shared, and without a broadcast.
  const LayerShape wide{600, 128, 2, 256};
  tests::LayerCallFixture expected(*npu1, wide);
  tests::LayerCallFixture tuned(*npu4, wide, Precision::bf16, {LayerCall{}},
                                {.qkv_row_blocks = 2, .broadcasts_keys = false});
  CHECK(tuned.run() == expected.run());
}

TEST_CASE("layer: bits do not depend on the number of host threads or the preset") {
  const LayerShape shape{60, 128, 2, 256};
  std::vector<float> first;
  for (const int threads : {1, 2, 5}) {
    const auto device = open_layer("phoenix-1.0/published", threads);
    tests::LayerCallFixture call(*device, shape);
    const auto result = call.run();
    if (first.empty()) first = result;
    CHECK(result == first);
  }
  const auto device = open_layer("hawk-1.6/published");
  tests::LayerCallFixture call(*device, shape);
  CHECK(call.run() == first);
}

TEST_CASE("layer: shapes that no call can have are refused with expected and found") {
  CHECK_THROWS_WITH_AS(
      layer_geometry(npu1(), {100, 64, 2, 256}, Precision::bf16),
      "layer shape: heads: expected 1 to width / 64, for heads have 64 columns, found 2",
      std::invalid_argument);
  CHECK_THROWS_WITH_AS(layer_geometry(npu1(), {2000, 64, 1, 256}, Precision::bf16),
                       "layer shape: frames: expected 1 to 1536, found 2000",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(layer_geometry(npu1(), {100, 100, 1, 256}, Precision::bf16),
                       "layer shape: width: expected a multiple of 64 up to 2048, found 100",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(layer_geometry(npu1(), {100, 192, 3, 256}, Precision::int8),
                       "layer shape: width for int8: expected a multiple of 128, found 192",
                       std::invalid_argument);
}
