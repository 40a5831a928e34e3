// An operator in the place of GELU: on the simulated cores, and as a reference on the CPU.
#include "npu/ops/stand_in.h"

#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

#include <doctest/doctest.h>

#include "npu/ops/registry.h"
#include "npu/plans/plan.h"
#include "npu/sim/sim_device.h"
#include "tests/support/layer_call.h"
#include "tests/support/random_matrix.h"

namespace {

using namespace wnpu;  // NOLINT
using namespace wnpu::npu;

std::shared_ptr<const Operator> built_in(const char* name) { return OperatorRegistry().find(name); }

struct LayerRun {
  std::vector<float> states;
  double modelled_ms = 0;
};

LayerRun run_layer(std::shared_ptr<const Operator> gelu, Plan plan, int threads = 2) {
  SimDeviceOptions options;
  options.gelu = std::move(gelu);
  options.threads = threads;
  const auto device = open_sim_device(options);
  tests::LayerCallFixture call(*device, {24, 128, 2, 512}, Precision::bf16, layer_calls(plan));
  auto states = call.run();
  return {std::move(states), device->stats().modelled_ms};
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

// GELU that gives nothing.
Operator nothing() {
  Operator op = *built_in("gelu");
  op.name = "nothing";
  op.tile = [](const OperatorCall& call) {
    std::memset(call.outputs[0], 0, call.sizes[0] * call.sizes[1] * 2);
  };
  return op;
}

}  // namespace

TEST_CASE("stand-in: GELU itself in GELU's place gives the same bits, on any number of threads") {
  for (const Plan plan : {Plan::fused, Plan::batched}) {
    const LayerRun own = run_layer(nullptr, plan);
    for (const int threads : {1, 3}) {
      const LayerRun replaced = run_layer(built_in("gelu"), plan, threads);
      CHECK(same_bits(own.states, replaced.states));
      CHECK(replaced.modelled_ms >= own.modelled_ms);
    }
  }
}

TEST_CASE("stand-in: another operator changes the layer, and its time by its own cost") {
  const LayerRun own = run_layer(nullptr, Plan::fused);
  Operator op = nothing();
  CHECK_FALSE(
      same_bits(own.states, run_layer(std::make_shared<const Operator>(op), Plan::fused).states));
  const auto modelled_with = [&](double cycles, Provenance provenance) {
    op.cost = [=](const Sizes& sizes) {
      return std::optional(
          TileCost{cycles * static_cast<double>(sizes[0] * sizes[1]), provenance, "test"});
    };
    return run_layer(std::make_shared<const Operator>(op), Plan::fused).modelled_ms;
  };
  CHECK(modelled_with(100, Provenance::counted) > own.modelled_ms);
  // A bound from below makes no run faster; a measurement may.
  CHECK(modelled_with(0.5, Provenance::counted) == own.modelled_ms);
  CHECK(modelled_with(0.5, Provenance::assumed) == own.modelled_ms);
  CHECK(modelled_with(0.5, Provenance::measured) < own.modelled_ms);
}

TEST_CASE("stand-in: what is unlike GELU or has no tile kernel is refused") {
  const OperatorRegistry registry;
  for (const auto& op : registry.all()) {
    CAPTURE(op->name);
    const bool is_like = op->name == "gelu" || op->name == "bias";
    if (is_like) {
      CHECK_NOTHROW(require_like_gelu(*op));
    } else {
      CHECK_THROWS_AS(require_like_gelu(*op), OperatorError);
    }
  }
  Operator narrow = *built_in("gelu");
  narrow.sizes[1].most = 32;
  CHECK_THROWS_AS(require_like_gelu(narrow), OperatorError);
  Operator bare = *built_in("gelu");
  bare.tile = nullptr;
  SimDeviceOptions options;
  options.gelu = std::make_shared<const Operator>(bare);
  CHECK_THROWS_AS(open_sim_device(options), DeviceError);
}

TEST_CASE("stand-in: the CPU's reference does values of any number") {
  for (const std::size_t n : {1U, 3U, 64U, 65U, 255U, 4096U, 4097U, 9000U}) {
    CAPTURE(n);
    std::vector<float> values = tests::random_vector(n, n, 5.0);
    const std::vector<float> before = values;
    apply_reference(*built_in("gelu"), values);
    bool is_right = true;
    for (std::size_t i = 0; i < n; ++i) {
      const double x = before[i];
      is_right &= std::abs(values[i] - x / 2 * std::erfc(-x * std::sqrt(0.5))) < 1e-6;
    }
    CHECK(is_right);
  }
}
