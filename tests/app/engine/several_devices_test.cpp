// Several devices, a window each: names, bits, failures at every call.
#include <array>
#include <filesystem>
#include <fstream>
#include <string>

#include <doctest/doctest.h>

#include "app/engine/devices/device_choice.h"
#include "app/engine/devices/device_names.h"
#include "tests/app/engine/device_runs.h"
#include "tests/few_samples.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/text.h"

using namespace wnpu;  // NOLINT

namespace {

constexpr std::size_t kDeviceLayers = 2;  // of the nano model's encoder
constexpr std::size_t kWindows = 5;

struct DevicesRuns : tests::DeviceRuns {
  DevicesRuns() : DeviceRuns({1, kDeviceLayers}, kWindows) {}
};

std::size_t windows_of(const DeviceInfo& info) { return tests::sum(info, &DeviceUse::windows); }

}  // namespace

TEST_CASE("several devices: any number of threads and devices gives one device's bits") {
  const DevicesRuns f;
  const auto alone = f.run({std::nullopt});
  REQUIRE(alone.error.empty());
  constexpr std::array kDevices{3UL, 2UL, 4UL};
  for (const std::size_t n : tests::some_of(kDevices)) {
    const auto found = f.run(tests::Failures(n));
    CHECK(tests::n_same(found, alone) == kWindows);
    REQUIRE(found.info.devices.size() == n);
    CHECK(windows_of(found.info) == kWindows);
    CHECK(found.info.npu->windows == kWindows);
    CHECK(found.info.npu->launches == kWindows * kDeviceLayers);
    CHECK(found.info.npu->ddr_bytes == alone.info.npu->ddr_bytes);
    CHECK(found.info.npu->modelled_ms_per_layer ==
          doctest::Approx(alone.info.npu->modelled_ms_per_layer));
    CHECK(found.info.devices.back().name == "sim:" + std::to_string(n - 1));
  }
}

TEST_CASE("several devices: where all fail it is an error that has each cause, or the CPU's work") {
  const DevicesRuns f;
  const auto failed = f.run({0, kDeviceLayers});
  CHECK(failed.error.find("; ") != std::string::npos);
  CHECK(failed.fallback.empty());
  const auto cpu = f.run({});
  REQUIRE(cpu.info.devices.empty());
  const auto alone = f.run({std::nullopt});
  for (std::size_t call = 0; call < kWindows * kDeviceLayers; call += 3 * tests::kSampleShare) {
    CAPTURE(call);
    const auto found = f.run({call, 0}, {.cpu = {.falls_back = true}});
    CHECK(found.error.empty());
    const std::size_t n_device = windows_of(found.info);
    CHECK(n_device == call / kDeviceLayers);
    CHECK(tests::n_same(found, alone) == n_device);  // those that a device had done stay
    CHECK(tests::n_same(found, cpu) == kWindows - n_device);
    CHECK_FALSE(found.fallback.empty());
  }
}

TEST_CASE("several devices: names") {
  using Indexes = std::vector<std::size_t>;
  const auto indexes = [](const std::string& name) { return app::parse_devices(name).indexes; };
  CHECK(app::parse_devices("auto").backend == nullptr);
  for (const auto name : app::backend_names()) CHECK(indexes(std::string(name)).empty());
  CHECK(indexes("npu:0") == Indexes{0});
  CHECK(indexes("npu:2,npu:0") == Indexes{2, 0});
  CHECK(indexes("sim:3") == Indexes{0, 1, 2});
  CHECK(app::parse_devices("npu:1,npu:0").backend->name == "npu");
  CHECK_FALSE(app::parse_devices("npu:1,npu:0").with_cpu);
  for (const std::string beside : {"npu", "npu:1", "npu:2,npu:0", "sim", "sim:3"}) {
    const app::NamedDevices named = app::parse_devices("cpu," + beside);
    CHECK(named.with_cpu);
    CHECK(named.indexes == indexes(beside));
    CHECK(named.backend == app::parse_devices(beside).backend);
    CHECK(app::may_be("cpu," + beside, named.backend->name));
    CHECK(app::may_be("cpu," + beside, "cpu"));
  }
  std::vector<std::string> refused = tests::split_words(
      "gpu npu: npu:x npu:-1 npu:1x npu:99 npu:0, ,npu:0 npu:0,npu:0 npu,npu npu:0,sim npu:0,cpu "
      "sim:0 sim:17 sim:1,sim:2 cpu:1 cpu,cpu cpu, cpu,auto cpu,cpu,npu cpu,npu,npu cpu,sim:0 "
      "sim,cpu auto:1 sim: npu:99999999999999999999 ort: ort:: ort:cpu: ort:a/b ort,cpu");
  refused.insert(refused.end(), {"", "npu: 1"});
  for (const std::string& wrong : refused) {
    CAPTURE(wrong);
    CHECK_THROWS_WITH_AS(app::parse_devices(wrong), doctest::Contains("device: expected auto|cpu|"),
                         Error);
  }
  CHECK(app::parse_devices("ort").backend->name == "ort");
  CHECK(app::parse_devices("cpu,ort:openvino:GPU.1").with_cpu);
  DeviceOptions options;
  options.requested = "sim:2";
  const auto chosen = app::choose_device(options, {}, 1);
  CHECK(chosen.devices->n_devices() == 2);
  CHECK(chosen.info.devices.back().name == "sim:1");
  CHECK(chosen.info.used == "sim");
  CHECK(app::may_be("sim:2", app::kSimulatorBackend));
  CHECK(app::may_be("npu:0,npu:1", app::kNpuBackend));
  CHECK_FALSE(app::may_be("sim:2", app::kNpuBackend));
}

TEST_CASE("several devices: a plan file and an operator are read once for all of them") {
  const tests::TemporaryFolder folder;
  DeviceOptions options;
  options.requested = "sim:3";
  options.plan_file = (folder.path() / "layer.plan").string();
  const npu::PlanFile plan{&npu::npu1(), npu::Precision::bf16, {1500, 64, 1, 256}, {}};
  std::ofstream(options.plan_file) << npu::plan_file_text(plan);
  const app::DeviceSetup setup(options);
  std::filesystem::remove(options.plan_file);
  for (int session = 0; session < 2; ++session) {
    const auto chosen = app::choose_device(setup, {}, 1);
    CHECK(chosen.devices->n_devices() == 3);
    CHECK(chosen.info.npu->plan == npu::kTunedPlanName);
  }
  CHECK_THROWS_AS(app::DeviceSetup{options}, Error);
  options.plan_file.clear();
  options.npu_operator = "gelu=gelu";
  const app::DeviceSetup with_operator(options);
  CHECK(with_operator.chosen_operator(true)->op == with_operator.chosen_operator(true)->op);
  CHECK(app::choose_device(with_operator, {}, 1).info.npu->operators.size() == 1);
}

TEST_CASE("several devices: what is divided is a name, and goes with the devices") {
  DeviceOptions options;
  CHECK(app::asked_split(options) == npu::Split::windows);
  options.split = "auto";
  CHECK_FALSE(app::asked_split(options).has_value());
  for (const std::string_view name : npu::kSplitNames) {
    options.split = name;
    CHECK(npu::split_name(*app::asked_split(options)) == name);
  }
  options.requested = "cpu,sim";
  for (const std::string split : {"auto", "layers", "heads"}) {
    options.split = split;
    CHECK_THROWS_AS(app::check_options(options), Error);
  }
  options.split = "windows";
  CHECK(app::cpu_share_of(options).is_beside);
}
