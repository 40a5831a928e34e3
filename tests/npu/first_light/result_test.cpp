// The JSON of first light: valid by its schema whatever happened, and read again as the table that
// it was.
#include "npu/first_light/result.h"

#include <fstream>
#include <stdexcept>
#include <string>

#include <doctest/doctest.h>

#include "npu/first_light/measured_table.h"
#include "npu/first_light/steps.h"
#include "npu/first_light/table_fields.h"
#include "tests/support/json_schema.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/text.h"

using namespace wnpu::npu;  // NOLINT

namespace {

constexpr const char* kDate = "2026-11-24T12:00:00Z";

FirstLight whole_result() {
  FirstLight result;
  result.machine = {"a box", "an NPU", "amdxdna", "1.5.5.391", false, 1.6, "--clock-ghz"};
  result.shape = {1500, 512, 8, 2048};
  result.overlay = "0123456789abcdef";
  for (std::size_t i = 0; i < kStepNames.size(); ++i) {
    result.steps.push_back({static_cast<FirstLightStep>(i), StepStatus::passed, {}, {}});
  }
  Difference somewhere{"query", 7, Place{"query", 3, 4}, 0x3f80, 0x3f81, 2, 100, 1};
  Difference padding{"output", 9, std::nullopt, 0x7fc0, 0xffff, 1, 100, std::nullopt};
  result.steps[2].status = StepStatus::failed;
  result.steps[2].reason = "bits differ from the simulator's";
  result.steps[2].checks = {{"qkv", "hostile", 200, {somewhere, padding}}};
  result.steps[3].status = StepStatus::not_run;
  result.times = {{"layer", 20, 14000.5, 15000}};
  result.measured = {{"attention step", "cycles", 16424, ""}, {"launch", "us", std::nullopt, "x"}};
  result.watts = 3.5;
  result.table = empty_table(npu1(), "a box", false);
  result.table->preset.clock_ghz = 1.6;
  result.table->preset.kernels.softmax_cycles = {
      9.25, Provenance::measured, result.table->keep("first light on a box: a step")};
  result.table->costs->push = {640, Provenance::measured, "tasks"};
  return result;
}

std::string result_refusal(const std::string& text) {
  return wnpu::tests::message_of<std::invalid_argument>(
      [&] { parse_measured_table(text, "f.json"); });
}

}  // namespace

TEST_CASE("first light: its JSON is what the schema says, with and without all that may be there") {
  const FirstLight whole = whole_result();
  CHECK(wnpu::tests::schema_fault("npu/first_light/first_light.schema.json",
                                  nlohmann::json::parse(first_light_json(whole, kDate))) == "");
  FirstLight empty;
  empty.overlay = "0000000000000000";
  empty.shape = {1, 64, 1, 64};
  empty.machine.device = "\xff no UTF-8";
  CHECK(wnpu::tests::schema_fault("npu/first_light/first_light.schema.json",
                                  nlohmann::json::parse(first_light_json(empty, kDate))) == "");
}

TEST_CASE("first light: the schema's enums and fields are the program's own") {
  const auto enums =
      wnpu::tests::enums_of(wnpu::tests::schema_of("npu/first_light/first_light.schema.json"));
  const auto has = [&](const nlohmann::json& names) {
    return std::ranges::any_of(enums, [&](const auto& entry) { return entry.second == names; });
  };
  CHECK(has(wnpu::tests::enum_of(kStepNames)));
  CHECK(has(wnpu::tests::enum_of(kStatusNames)));
  const nlohmann::json table = wnpu::tests::schema_of(
      "npu/first_light/first_light.schema.json")["properties"]["kernel_table"]["properties"];
  CHECK(table["rates"]["required"].size() == std::size(kRateFields));
  CHECK(table["controller"]["required"].size() == std::size(kCostFields));
}

TEST_CASE("first light: a table that was written is read with every number and source") {
  const FirstLight whole = whole_result();
  MeasuredTable read = parse_measured_table(first_light_json(whole, kDate), "f.json");
  const MeasuredTable table = std::move(read);  // what it points at moves along
  CHECK(table.machine == "a box");
  CHECK(!table.is_simulated);
  CHECK(table.preset.name == "measured on a box");
  CHECK(&controller_of(table.preset) == table.costs.get());
  for (const TimeField& field : kTimeFields) {
    CHECK(table.preset.*field.value == whole.table->preset.*field.value);
  }
  for (const RateField& field : kRateFields) {
    const Rate& found = table.preset.kernels.*field.rate;
    const Rate& expected = whole.table->preset.kernels.*field.rate;
    CHECK(found.value == expected.value);
    CHECK(found.provenance == expected.provenance);
    CHECK(found.source == expected.source);
  }
  for (const CostField& field : kCostFields) {
    CHECK(((*table.costs).*field.rate).value == ((*whole.table->costs).*field.rate).value);
  }
}

TEST_CASE("first light: files that hold no table are refused with what was expected and found") {
  CHECK(result_refusal("").find("f.json: expected first light's JSON") == 0);
  CHECK(result_refusal("[]").find("f.json: ") == 0);
  CHECK(result_refusal("{}").find("f.json: ") == 0);
  const nlohmann::json good = nlohmann::json::parse(first_light_json(whole_result(), kDate));
  const auto with = [&](const char* pointer, const nlohmann::json& value) {
    nlohmann::json changed = good;
    changed[nlohmann::json::json_pointer(pointer)] = value;
    return result_refusal(changed.dump());
  };
  CHECK(result_refusal(good.dump()).empty());
  CHECK(with("/document", "bench").find("document: expected whisper-npu first light") !=
        std::string::npos);
  CHECK(with("/schema_version", 2).find("schema_version: expected 1, found 2") !=
        std::string::npos);
  CHECK(with("/kernel_table", nullptr).find("null: it was not measured") != std::string::npos);
  std::string deep = good.dump();
  const std::string version = R"("schema_version":1)";
  REQUIRE(deep.find(version) != std::string::npos);
  constexpr std::size_t kLists = 1'000'000;
  deep.replace(deep.find(version) + version.size() - 1, 1,
               std::string(kLists, '[') + std::string(kLists, ']'));
  CHECK(result_refusal(deep) == "f.json: expected at most 16 levels of nesting, found more");
  for (const nlohmann::json& bad :
       {nlohmann::json(0), nlohmann::json(-1), nlohmann::json("fast"), nlohmann::json(1e300),
        nlohmann::json(1e-30), nlohmann::json()}) {
    CHECK(with("/kernel_table/clock_ghz", bad).find("clock_ghz: expected a number above 0") !=
          std::string::npos);
    CHECK(with("/kernel_table/rates/bf16_mac_per_cycle/value", bad).find("a number above 0") !=
          std::string::npos);
  }
  CHECK(with("/kernel_table/controller/push/value", 0).empty());
  CHECK(with("/kernel_table/controller/push/value", -1).find("a number from 0") !=
        std::string::npos);
  CHECK(with("/kernel_table/rates/gelu_cycles/provenance", "guess").find("found guess") !=
        std::string::npos);
}

TEST_CASE("first light: a file that was cut short is refused, wherever it ends") {
  const std::string good = first_light_json(whole_result(), kDate);
  CHECK(result_refusal(good).empty());
  for (std::size_t length = 0; length + 2 < good.size(); length += 41) {
    CHECK(!result_refusal(good.substr(0, length)).empty());
  }
}

TEST_CASE(
    "first light: people read of every step, difference and number, and that it was simulated") {
  FirstLight result = whole_result();
  const std::string text = first_light_text(result);
  for (const char* part :
       {"batched: failed: bits differ", "query: 2 of 100 differ, first query row 3 column 4",
        "expected 0x3f80, found 0x3f81, at most 1 ulp",
        "element 9 (in padding, or of rows in int8)", "attention step: 16424 cycles",
        "launch: not measured (x)", "power: 3.5 W", "fused: not run"}) {
    CHECK_MESSAGE(text.find(part) != std::string::npos, part);
  }
  CHECK(text.find("SIMULATED") == std::string::npos);
  result.machine.is_simulated = true;
  CHECK(first_light_text(result).find("SIMULATED") != std::string::npos);
}

TEST_CASE("first light: power is what the driver's sensor says, or nothing") {
  const wnpu::tests::TemporaryFolder root;
  CHECK(!npu_watts(root.path()));
  const auto sensor = root.path() / "sys/class/accel/accel0/device/hwmon/hwmon7";
  std::filesystem::create_directories(sensor);
  CHECK(!npu_watts(root.path()));
  std::ofstream(sensor / "power1_average") << "2500000\n";
  CHECK(npu_watts(root.path()) == doctest::Approx(2.5));
  std::ofstream(sensor / "power1_input") << "3000000\n";
  CHECK(npu_watts(root.path()) == doctest::Approx(3.0));
  std::ofstream(sensor / "power1_input") << "none\n";
  CHECK(npu_watts(root.path()) == doctest::Approx(2.5));
}
