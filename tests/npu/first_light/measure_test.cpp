// Measurements of first light find the model's inputs again: planted kernels and controllers.
// Simulated throughout.
#include <array>
#include <string>

#include <doctest/doctest.h>

#include "npu/control/controller_costs.h"
#include "npu/first_light/microbenchmarks/calls.h"
#include "npu/first_light/steps.h"
#include "npu/first_light/table_fields.h"
#include "npu/sim/sim_device.h"

using namespace wnpu::npu;  // NOLINT

namespace {

struct Found {
  FirstLight result;
  std::optional<MeasuredTable> table;

  double value(const std::string& name) const {
    for (const Measured& m : result.measured) {
      if (m.name == name) return m.value.value_or(-1);
    }
    return -1;
  }
  std::string note(const std::string& name) const {
    for (const Measured& m : result.measured) {
      if (m.name == name) return m.note;
    }
    return "";
  }
};

Found measure_on(const HardwareModel& times, std::optional<double> clock = std::nullopt) {
  SimDeviceOptions options;
  options.threads = 2;
  options.times = times;
  const auto device = open_sim_device(options);
  FirstLightOptions asked;
  asked.clock_ghz = clock;
  Found found;
  found.result.machine.product = "a model";
  found.table = measure(*device, asked, found.result);
  return found;
}

constexpr double kWithin = 0.02;

void check_near(double found, double planted) {
  CHECK(found == doctest::Approx(planted).epsilon(kWithin));
}

// A simulated table says so, and what was not measured keeps its source.
void check_provenance(const MeasuredTable& table) {
  CHECK(table.is_simulated);
  CHECK(table.preset.name.find("simulated") != std::string::npos);
  const KernelTable& kernels = table.preset.kernels;
  CHECK(kernels.softmax_cycles.provenance == Provenance::simulated);
  CHECK(kernels.softmax_cycles.source.find("first light on a model") != std::string_view::npos);
  CHECK(table.costs->push.provenance == Provenance::simulated);
  const bool is_npu4 = table.preset.target == &npu4();  // for which nobody has published it
  CHECK(kernels.int8_mac_per_cycle.provenance ==
        (is_npu4 ? Provenance::assumed : Provenance::measured));
  CHECK(kernels.epilogue_cycles.provenance == Provenance::assumed);
  CHECK(table.costs->token.provenance == Provenance::assumed);
}

}  // namespace

TEST_CASE("first light: attention step, tasks, clock, launch, DDR and kernels are found again") {
  struct Planted {
    const char* preset;
    double push;
  };
  constexpr std::array kPlanted{
      Planted{"phoenix-1.0/published", 2557}, Planted{"strix-1.8/published", 520},
      Planted{"hawk-1.6/open-source", 520}, Planted{"phoenix-8700g/published", 7000}};
  for (const Planted& planted : kPlanted) {
    CAPTURE(std::string(planted.preset));
    HardwareModel times = find_preset(planted.preset);
    ControllerCosts costs = phoenix_controller();
    costs.push.value = planted.push;
    costs.write.value = planted.push / 20;
    times.controller = &costs;
    const Found found = measure_on(times);
    const KernelTable& kernels = times.kernels;
    constexpr double kScores = static_cast<double>(kQueries * kKeys);
    check_near(found.value("attention step"),
               2 * kScores * kHeadWidth / kernels.attention_mac_per_cycle.value +
                   kScores * kernels.softmax_cycles.value + kernels.call_cycles.value);
    check_near(found.value("task push"), planted.push + costs.write.value);
    check_near(found.value("register write"), costs.write.value);
    check_near(found.value("1000 task pushes"),
               (planted.push + 2 * costs.write.value) / times.clock_ghz);
    REQUIRE(found.table);
    check_provenance(*found.table);
    const HardwareModel& preset = found.table->preset;
    for (const TimeField& field : kTimeFields) {
      check_near(preset.*field.value, times.*field.value);
    }
    check_near(preset.kernels.softmax_cycles.value, kernels.softmax_cycles.value);
    check_near(preset.kernels.bf16_mac_per_cycle.value, kernels.bf16_mac_per_cycle.value);
    check_near(preset.kernels.layer_norm_cycles.value, kernels.layer_norm_cycles.value);
    // The epilogue without GELU is the published table's.
    check_near(preset.kernels.gelu_cycles.value - preset.kernels.epilogue_cycles.value,
               kernels.gelu_cycles.value - kernels.epilogue_cycles.value);
  }
}

TEST_CASE("first light: a kernel that DDR holds back is told, and not taken for the kernel") {
  HardwareModel times = find_preset("phoenix-1.0/counted");
  const Found found = measure_on(times);
  CHECK(found.note("product step").find("DDR was the limit") != std::string::npos);
  REQUIRE(found.table);
  CHECK(found.table->preset.kernels.bf16_mac_per_cycle.source ==
        find_preset("phoenix-1.0/published").kernels.bf16_mac_per_cycle.source);
}

TEST_CASE("first light: an attention faster than its products alone leaves no softmax below zero") {
  HardwareModel times = find_preset("phoenix-1.0/published");
  times.kernels.attention_mac_per_cycle.value = 80;
  times.kernels.softmax_cycles.value = 0.5;
  const double own_clock = 1.1 * times.clock_ghz;  // a clock that is named is the clock
  const Found found = measure_on(times, own_clock);
  CHECK(found.result.machine.clock_ghz == own_clock);
  REQUIRE(found.table);
  const KernelTable& kernels = found.table->preset.kernels;
  CHECK(kernels.softmax_cycles.value == 0);
  const double scores = static_cast<double>(kQueries * kKeys);
  check_near(2 * scores * 64 / kernels.attention_mac_per_cycle.value,
             1.1 * (2 * scores * 64 / 80 + scores * 0.5));
}
