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

void check_layer(const std::string& preset, LayerShape shape, Precision precision,
                 double tolerance) {
  const auto device = open_layer(preset);
  tests::LayerCallFixture call(*device, shape, precision);
  const auto result = call.run();
  auto rows = tests::to_rows(call.states().view());
  tests::reference_encoder_layer(rows, call.weights(), shape.heads);
  const double error = tests::nmse(result, tests::flatten(rows));
  MESSAGE(preset, precision == Precision::int8 ? " int8 " : " bf16 ", shape.frames, "x",
          shape.width, ": NMSE ", error);
  CHECK(error < tolerance);
}

}  // namespace

TEST_CASE("layer: fused bf16 agrees with fp64") {
  check_layer("phoenix-1.0/published", {100, 128, 2, 512}, Precision::bf16,
              tests::tolerance::kBf16LayerNmse);
  check_layer("phoenix-1.0/published", {50, 128, 2, 512}, Precision::bf16,
              tests::tolerance::kBf16LayerNmse);
}

TEST_CASE("layer: fused int8 agrees with fp64") {
  check_layer("phoenix-1.0/published", {100, 128, 2, 512}, Precision::int8,
              tests::tolerance::kInt8LayerNmse);
}

TEST_CASE("layer: widths that leave columns idle, and tiles that are not 64 wide") {
  check_layer("phoenix-1.0/published", {33, 192, 3, 768}, Precision::bf16,
              tests::tolerance::kBf16LayerNmse);
  check_layer("phoenix-1.0/published", {33, 64, 1, 192}, Precision::bf16,
              tests::tolerance::kBf16LayerNmse);
}

TEST_CASE("layer: fewer heads than the width has room for") {
  for (const Precision precision : {Precision::bf16, Precision::int8}) {
    const double tolerance = precision == Precision::bf16 ? tests::tolerance::kBf16LayerNmse
                                                          : tests::tolerance::kInt8LayerNmse;
    check_layer("phoenix-1.0/published", {50, 384, 1, 192}, precision, tolerance);
    check_layer("phoenix-1.0/published", {20, 256, 3, 128}, precision, tolerance);
  }
  const auto device = open_layer("phoenix-1.0/published");
  const LayerShape shape{300, 256, 3, 128};
  tests::LayerCallFixture fused(*device, shape);
  tests::LayerCallFixture batched(*device, shape, Precision::bf16, layer_calls(Plan::batched));
  CHECK(fused.run() == batched.run());
}

TEST_CASE("layer: rows of 1280, two an element") {
  check_layer("phoenix-1.0/published", {8, 1280, 20, 64}, Precision::bf16,
              tests::tolerance::kBf16LayerNmse);
}

TEST_CASE("layer: a hidden block that does not stay in mem tiles") {
  check_layer("phoenix-1.0/published", {20, 64, 1, 4096}, Precision::bf16,
              tests::tolerance::kBf16LayerNmse);
}

TEST_CASE("layer: two waves of queries and more than one row block") {
  check_layer("phoenix-1.0/published", {800, 64, 1, 64}, Precision::bf16,
              tests::tolerance::kBf16LayerNmse);
}

TEST_CASE("layer: batched gives the fused result, bit by bit") {
  const auto device = open_layer("phoenix-1.0/published");
  for (const Precision precision : {Precision::bf16, Precision::int8}) {
    const LayerShape shape{60, 128, 2, 256};
    tests::LayerCallFixture fused(*device, shape, precision);
    tests::LayerCallFixture batched(*device, shape, precision, layer_calls(Plan::batched));
    CHECK(fused.run() == batched.run());
  }
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
