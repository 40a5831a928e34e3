// The simulated device's contract: what it refuses, and that nothing moves without sync.
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "npu/control/controller_costs.h"
#include "npu/sim/sim_device.h"
#include "tests/support/layer_call.h"
#include "tests/support/text.h"

using namespace wnpu;  // NOLINT
using namespace wnpu::npu;
using namespace std::chrono_literals;
using wnpu::tests::has;

namespace {

std::string error_of(const std::function<void()>& call) {
  return wnpu::tests::message_of<DeviceError>([&] { call(); });
}

std::unique_ptr<Device> open(InjectedFailure failure = {}) {
  SimDeviceOptions options;
  options.threads = 2;
  options.failure = failure;
  return open_sim_device(options);
}

}  // namespace

TEST_CASE("sim device: says that it is simulated, and how it is modelled") {
  const auto device = open();
  CHECK(device->is_simulated());
  CHECK(has(device->description(), "simulated"));
  CHECK(has(device->description(), "phoenix-1.0/published"));
}

TEST_CASE("sim device: unknown presets are refused with the known ones") {
  SimDeviceOptions options;
  options.preset = "phoenix-9/published";
  const std::string error = error_of([&] { open_sim_device(options); });
  CHECK(has(error, "phoenix-1.0"));
  CHECK(has(error, "found \"phoenix-9/published\""));
}

TEST_CASE("sim device: a forgotten sync is a wrong result, each of three") {
  const auto device = open();
  tests::LayerCallFixture call(*device, {40, 64, 1, 128});
  const auto right = call.run();
  CHECK(tests::all_finite(right));
  for (const auto forgotten : {LayerArgument::input, LayerArgument::weights}) {
    tests::LayerCallFixture other(*device, {40, 64, 1, 128});
    other.forget(forgotten);
    CHECK_FALSE(tests::all_finite(other.run()));  // poison
  }
  tests::LayerCallFixture other(*device, {40, 64, 1, 128});
  other.forget(LayerArgument::output);
  CHECK(other.run() != right);
}

TEST_CASE("sim device: wrong arguments are refused") {
  const auto device = open();
  const auto stranger = open();
  tests::LayerCallFixture call(*device, {40, 64, 1, 128});
  tests::LayerCallFixture other(*stranger, {40, 64, 1, 128});
  auto arguments = call.arguments();
  arguments.pop_back();
  CHECK(has(error_of([&] { call.program().run(arguments, 1s); }), "expected 4 arguments, found 3"));
  arguments = call.arguments();
  arguments[1] = other.arguments()[1];
  CHECK(has(error_of([&] { call.program().run(arguments, 1s); }),
            "argument 1 (weights): expected a buffer of this device"));
  const auto small = call.program().allocate(64, 0);
  arguments = call.arguments();
  arguments[0] = small.get();
  CHECK(has(error_of([&] { call.program().run(arguments, 1s); }),
            "argument 0 (input): expected 98304 bytes, found 64"));
  CHECK(has(error_of([&] { (void)call.program().allocate(64, 4); }),
            "expected an argument below 4, found 4"));
  CHECK(has(error_of([&] { (void)call.program().allocate(66, 0); }),
            "expected whole words of 4 bytes, found 66"));
  const Run foreign{&other.program(), call.arguments()};
  CHECK(has(error_of([&] {
              device->run_all({&foreign, 1}, 1s);
            }),
            "expected a program of this device, found another device's"));
}

TEST_CASE("sim device: designs for another array, or that do not fit, are refused at load") {
  const auto device = open();
  const LayerShape shape{40, 64, 1, 128};
  CHECK(has(
      error_of([&] { device->load(layer_design(layer_geometry(npu4(), shape, Precision::bf16))); }),
      "expected a design for npu1, found one for npu4"));
  Design design = layer_design(layer_geometry(npu1(), shape, Precision::bf16));
  design.core.stack_bytes = 20000;
  CHECK(has(error_of([&] { device->load(design); }), "data memory"));
}

TEST_CASE("sim device: ordered failures and timeouts name the run") {
  const auto device = open({InjectedFailure::Kind::command_error, 1});
  tests::LayerCallFixture call(*device, {40, 64, 1, 128});
  const std::vector<Run> runs(3, Run{&call.program(), call.arguments()});
  CHECK(error_of([&] { device->run_all(runs, 10s); }) ==
        "simulated NPU: run 2 of 3: command failed (injected)");
  CHECK(device->stats().launches == 1);
  CHECK(has(error_of([&] { device->run_all(runs, 0ms); }), "run 1 of 3: timed out: modelled"));
  const auto hanging = open({InjectedFailure::Kind::timeout, 0});
  tests::LayerCallFixture other(*hanging, {40, 64, 1, 128});
  CHECK(error_of([&] { other.run(); }) == "simulated NPU: run 1 of 1: timed out (injected)");
}

TEST_CASE("sim device: stops in the middle of a run when asked to, and works again afterwards") {
  const auto device = open();
  tests::LayerCallFixture call(*device, {40, 64, 1, 128});
  const auto expected = call.run();
  std::size_t n_asked = 0;
  device->set_should_stop([&n_asked] { return ++n_asked > 5; });
  CHECK_THROWS_AS(call.run(), Stopped);
  CHECK(n_asked == 6);
  CHECK(device->stats().launches == 1);
  device->set_should_stop({});
  CHECK(call.run() == expected);
}

TEST_CASE("sim device: a list of runs is one submission and costs less to launch") {
  const auto device = open();
  tests::LayerCallFixture call(*device, {40, 64, 1, 128});
  call.run();
  const double single = device->stats().modelled_ms;
  device->reset_stats();
  const std::vector<Run> runs(2, Run{&call.program(), call.arguments()});
  device->run_all(runs, 10s);
  CHECK(device->stats().launches == 2);
  CHECK(device->stats().submissions == 1);
  CHECK(device->stats().modelled_ms < 2 * single);
  CHECK(device->stats().ddr_read_bytes > 0);
}

TEST_CASE("sim device: memory beyond the arguments stays as it was") {
  const auto device = open();
  tests::LayerCallFixture call(*device, {40, 64, 1, 128});
  call.run();  // throws if a guard byte changed
}

TEST_CASE("sim device: times of a caller's own, with the controller that they name") {
  ControllerCosts slow = phoenix_controller();
  slow.write.value *= 10;
  SimDeviceOptions options;
  options.times = find_preset("phoenix-1.0/goal");
  const auto modelled_ms = [&options] {
    const auto device = open_sim_device(options);
    tests::LayerCallFixture call(*device, {40, 64, 1, 128});
    call.run();
    return device->stats().modelled_ms;
  };
  const double normal = modelled_ms();
  options.times->controller = &slow;
  CHECK(modelled_ms() > normal);
  options.times->controller = &phoenix_controller();
  CHECK(modelled_ms() == normal);
}
