// First light on the simulator: nothing differs where nothing is wrong, and what is wrong is named.
#include "npu/first_light/first_light.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include <doctest/doctest.h>

#include "npu/first_light/microbenchmarks/inputs.h"
#include "npu/first_light/microbenchmarks/microbenchmarks.h"
#include "npu/kernel/bf16.h"
#include "npu/sim/check.h"
#include "tests/npu/first_light/altered_device.h"
#include "tests/npu/small_design.h"

using namespace wnpu;         // NOLINT
using namespace wnpu::npu;    // NOLINT
using namespace wnpu::tests;  // NOLINT

namespace {

constexpr LayerShape kLightShape{100, 128, 2, 256};

FirstLightOptions small_options(Precision precision = Precision::bf16) {
  FirstLightOptions options;
  options.shape = kLightShape;
  options.precision = precision;
  options.layers = 3;
  options.threads = 2;
  return options;
}

std::unique_ptr<Device> open_failing(InjectedFailure failure = {}) {
  SimDeviceOptions options;
  options.threads = 2;
  options.failure = failure;
  return open_sim_device(options);
}

StepStatus status_of(const FirstLight& result, FirstLightStep step) {
  return result.steps.at(static_cast<std::size_t>(step)).status;
}

const StepResult& named_step(const FirstLight& result, FirstLightStep step) {
  return result.steps.at(static_cast<std::size_t>(step));
}

// Launches of the steps on a simulator, each call timed once. kernel and product: two inputs and a
// time each; batched: the same, seven calls; fused.
constexpr std::size_t kFirstBatched = 3 + 3;
constexpr std::size_t kFirstFused = kFirstBatched + 7 * 3;

}  // namespace

TEST_CASE("first light: on the simulator every step passes, in both precisions") {
  constexpr std::array kPrecisions{Precision::bf16, Precision::int8};
  for (const Precision precision : kPrecisions) {
    const auto device = open_failing();
    std::string told;
    FirstLightOptions options = small_options(precision);
    // Measurements do not depend on the layer, so that one precision is enough.
    const bool measures = precision == Precision::bf16;
    if (!measures) options.last = FirstLightStep::encoder;
    options.tell = [&](const std::string& line) { told += line + ";"; };
    const FirstLight result = run_first_light(*device, options);
    CHECK(told ==
          std::string("kernel;product;batched;fused;encoder;") + (measures ? "measure;" : ""));
    CHECK(result.has_passed());
    CHECK(result.machine.is_simulated);
    CHECK(result.table.has_value() == measures);
    const StepResult& batched = named_step(result, FirstLightStep::batched);
    CHECK(batched.checks.size() == 2 * kLayerOps);
    for (const StepResult& step : result.steps) {
      for (const Check& check : step.checks) CHECK(check.compared > 0);
    }
  }
}

TEST_CASE("first light: one wrong bit is found in the call, region, row and column it is in") {
  const LayerGeometry g = layer_geometry(npu1(), kLightShape, Precision::bf16);
  struct Wrong {
    std::size_t call;  // of the batched ones
    ScratchPart part;
    std::string region, matrix;
    std::size_t row, column;
  };
  const Wrong wrongs[] = {{0, ScratchPart::normed, "normed", "normed", 99, 127},
                          {1, ScratchPart::query, "query", "query", 0, 64},
                          {1, ScratchPart::key, "keys and values", "key", 31, 5},
                          {1, ScratchPart::value, "keys and values", "value", 64, 70},
                          {2, ScratchPart::attention, "attention", "attention", 17, 1},
                          {5, ScratchPart::hidden, "hidden", "hidden", 3, 255}};
  for (const Wrong& wrong : wrongs) {
    CAPTURE(wrong.matrix);
    // Position of the element in scratch: packed alone, it is the only one that is not zero.
    const std::size_t columns =
        wrong.part == ScratchPart::hidden ? kLightShape.hidden : kLightShape.width;
    std::vector<float> rows(kLightShape.frames * columns);
    rows[wrong.row * columns + wrong.column] = 1;
    std::vector<std::byte> scratch(g.scratch_bytes);
    write_scratch(g, wrong.part, rows, columns, scratch);
    const auto at = std::ranges::find_if(scratch, [](std::byte b) { return b != std::byte{0}; });
    const auto offset = static_cast<std::size_t>(at - scratch.begin());
    AlteredDevice device(open_failing(), {{kFirstBatched + wrong.call, 2, offset / 2 * 2}});
    const FirstLight result = run_first_light(device, small_options());
    CHECK(!result.has_passed());
    CHECK(status_of(result, FirstLightStep::product) == StepStatus::passed);
    CHECK(status_of(result, FirstLightStep::fused) == StepStatus::not_run);
    const StepResult& batched = named_step(result, FirstLightStep::batched);
    CHECK(batched.status == StepStatus::failed);
    REQUIRE(batched.checks.size() == wrong.call + 1);
    const Check& check = batched.checks.back();
    CHECK(check.call == kLayerOpNames[wrong.call]);
    REQUIRE(check.differences.size() == 1);
    const Difference& d = check.differences.front();
    CHECK(d.region == wrong.region);
    CHECK(d.differing == 1);
    CHECK(d.max_ulp == 1);
    CHECK((d.expected ^ d.found) == 1);
    REQUIRE(d.place);
    CHECK(d.place->matrix == wrong.matrix);
    CHECK(d.place->row == wrong.row);
    CHECK(d.place->column == wrong.column);
  }
}

TEST_CASE(
    "first light: keeps going from the simulator's bits, so that each call stands for itself") {
  // The second input's norm1 and the fused layer's output.
  const LayerGeometry g = layer_geometry(npu1(), kLightShape, Precision::bf16);
  AlteredDevice device(open_failing(), {{kFirstBatched + 7, 2, g.normed_offset, std::byte{0xff}},
                                        {kFirstFused, 3, 0, std::byte{0x80}}});
  FirstLightOptions options = small_options();
  options.keeps_going = true;
  options.last = FirstLightStep::encoder;
  const FirstLight result = run_first_light(device, options);
  const StepResult& batched = named_step(result, FirstLightStep::batched);
  CHECK(batched.status == StepStatus::failed);
  for (const Check& check : batched.checks) {
    CHECK(check.differences.empty() == !(check.call == "norm1" && check.values == "hostile"));
  }
  const StepResult& fused = named_step(result, FirstLightStep::fused);
  CHECK(fused.status == StepStatus::failed);
  REQUIRE(fused.checks.front().differences.size() == 1);
  CHECK(fused.checks.front().differences.front().region == "output");
  CHECK(fused.checks.back().differences.empty());
  CHECK(status_of(result, FirstLightStep::encoder) == StepStatus::passed);
}

TEST_CASE("first light: wrong bits of a product and of the layers in a row are found") {
  const std::size_t element = 64 * 64 + 17;  // second tile: row 1 of its second block of four
  AlteredDevice one(open_failing(), {{0, 2, 2 * element}});
  const FirstLight product = run_first_light(one, small_options());
  const StepResult& kernel = named_step(product, FirstLightStep::kernel);
  REQUIRE(kernel.status == StepStatus::failed);
  const Difference& d = kernel.checks.front().differences.front();
  CHECK(d.place->row == 0);
  CHECK(d.place->column == 64 + 4 + 1);

  AlteredDevice other(open_failing(), {{kFirstFused + 3, 3, 0}});  // the first of three layers
  const FirstLight rows = run_first_light(other, small_options());
  const StepResult& encoder = named_step(rows, FirstLightStep::encoder);
  REQUIRE(encoder.status == StepStatus::failed);
  CHECK(encoder.checks.back().differences.front().region == "states after 3 layers");
}

TEST_CASE("first light: a call that fails or does not end is a failed step with its cause") {
  for (const auto kind : {InjectedFailure::Kind::timeout, InjectedFailure::Kind::command_error}) {
    const auto device = open_failing({kind, kFirstBatched + 2});
    const FirstLight result = run_first_light(*device, small_options());
    const StepResult& batched = named_step(result, FirstLightStep::batched);
    CHECK(batched.status == StepStatus::failed);
    CHECK(batched.reason.find(kind == InjectedFailure::Kind::timeout
                                  ? "timed out"
                                  : "command failed") != std::string::npos);
    CHECK(batched.checks.size() == 2);  // those before
    CHECK(status_of(result, FirstLightStep::measure) == StepStatus::not_run);
    CHECK(named_step(result, FirstLightStep::measure).reason == "an earlier step failed");
  }
}

TEST_CASE("first light: ends with the step that was asked for") {
  const auto device = open_failing();
  FirstLightOptions options = small_options();
  options.last = FirstLightStep::product;
  const FirstLight result = run_first_light(*device, options);
  CHECK(result.has_passed());
  CHECK(status_of(result, FirstLightStep::product) == StepStatus::passed);
  CHECK(status_of(result, FirstLightStep::batched) == StepStatus::not_run);
  CHECK(named_step(result, FirstLightStep::measure).reason == "not asked for");
  CHECK(!result.table);
}

TEST_CASE("first light: all its calls are legal and of one overlay, the layer's, at every width") {
  const std::array<std::pair<LayerShape, const Target*>, 5> layers{
      {{kLightShape, &npu1()},
       {{1500, 384, 6, 1536}, &npu1()},
       {{1500, 384, 6, 1536}, &npu4()},
       {{1500, 512, 8, 2048}, &npu1()},
       {{1500, 1280, 20, 5120}, &npu1()}}};
  for (const auto& [shape, target] : layers) {
    const LayerGeometry g = layer_geometry(*target, shape, Precision::bf16);
    const std::uint64_t overlay = overlay_hash(layer_design(g));
    std::map<std::uint64_t, std::string> by_hash;
    std::map<std::string, int> by_name;
    for (const NamedDesign& call : trial_calls(g)) {
      CHECK(overlay_hash(call.design) == overlay);
      CHECK(by_hash.emplace(design_hash(call.design), call.name).second);
      CHECK(++by_name[call.name] == 1);
      if (shape.width > 512) continue;  // checked for legality: seconds a layer
      const auto problems = check(call.design);
      CHECK_MESSAGE(problems.empty(), call.name, ": ", problems.empty() ? "" : problems.front());
    }
  }
}

TEST_CASE(
    "first light: hostile numbers are far apart and none is infinite, nor is what comes of them") {
  const LayerGeometry g = layer_geometry(npu1(), kLightShape, Precision::bf16);
  for (const Values values : {Values::ordinary, Values::hostile}) {
    const LayerInputs inputs = layer_inputs(g, values, 3);
    CHECK(inputs.states == layer_inputs(g, values, 3).states);
    CHECK(inputs.weights != layer_inputs(g, values, 4).weights);
    const auto device = open_failing();
    const auto program = device->load(layer_design(g));
    std::vector<std::unique_ptr<Buffer>> buffers;
    std::vector<Buffer*> arguments;
    for (std::size_t i = 0; i < kLayerArguments; ++i) {
      const auto argument = static_cast<LayerArgument>(i);
      buffers.push_back(program->allocate(g.argument_bytes(argument), static_cast<int>(i)));
      arguments.push_back(buffers.back().get());
    }
    std::ranges::copy(inputs.states, arguments[0]->host().begin());
    std::ranges::copy(inputs.weights, arguments[1]->host().begin());
    for (std::size_t i = 0; i < 2; ++i) arguments[i]->to_device();
    // One layer on the states of another, as the encoder's.
    for (int layer = 0; layer < 6; ++layer) {
      if (layer > 0) std::swap(arguments[0], arguments[3]);
      program->run(arguments, std::chrono::seconds(10));
    }
    arguments[3]->from_device();
    std::vector<float> result(kLightShape.frames * kLightShape.width);
    unpack_states(g, arguments[3]->host(), result, kLightShape.width);
    CHECK(std::ranges::all_of(result, [](float v) { return std::isfinite(v); }));
    CHECK(std::ranges::count(result, result.front()) < 100);
  }
  std::vector<std::byte> bytes(20000);
  fill_numbers(bytes, Values::hostile, 1);
  float least = 1;
  float most = 0;
  for (std::size_t i = 0; i < bytes.size(); i += 2) {
    const std::uint16_t bits = static_cast<std::uint16_t>(static_cast<unsigned>(bytes[i]) |
                                                          static_cast<unsigned>(bytes[i + 1]) << 8);
    const float size = std::abs(to_float(bfloat16{bits}));
    if (size > 0) least = std::min(least, size);
    most = std::max(most, size);
  }
  CHECK(least < 0x1p-28f);
  CHECK(most > 0x1p2f);
}
