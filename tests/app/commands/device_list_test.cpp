// Nodes of the driver and devices of XRT as one list, and what it says of each.
#include "app/commands/devices/device_list.h"

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "app/commands/devices/checks.h"
#include "app/engine/devices/backends.h"
#include "models/kernels/vectors/instruction_set.h"
#include "npu/design/target.h"
#include "tests/support/json_schema.h"
#include "tests/support/temporary_folder.h"

using namespace wnpu;  // NOLINT
using namespace wnpu::app;
using nlohmann::json;
using wnpu::tests::TemporaryFolder;

namespace {

constexpr const char* kPhoenix = "0000:c4:00.1";

npu::XclbinPlaces nowhere() { return {"", "", "/nowhere", "/nowhere"}; }

npu::ProbeResult node_at(const std::string& bdf, const std::string& reason = "") {
  return {"/dev/accel/accel0", reason.empty(), reason, reason.empty() ? "" : "mend it", bdf};
}

npu::XrtDevices shown_at(const std::string& bdf, std::size_t columns = 5) {
  return {{{bdf, "NPU Phoenix", "1.5.5.391", "default", columns}}, ""};
}

// An XCLBIN that is none but by its header (struct axlf: magic, and its length at byte 304).
std::string container() {
  std::string bytes(312, '\0');
  bytes.replace(0, 7, "xclbin2");
  bytes[304] = static_cast<char>(bytes.size() % 256);
  bytes[305] = static_cast<char>(bytes.size() / 256);
  return bytes;
}

DeviceList list_with(std::vector<ListedNpu> npus) {
  DeviceList list = list_devices("", {});
  list.npus = std::move(npus);
  return list;
}

}  // namespace

TEST_CASE("device list: a device of XRT is the node with its address") {
  const auto npus = list_npus(std::vector{node_at(kPhoenix)}, shown_at(kPhoenix), nowhere());
  REQUIRE(npus.size() == 1);
  CHECK(npus[0].name == "npu:0");
  CHECK(npus[0].node == "/dev/accel/accel0");
  CHECK(npus[0].target == "npu1");
  CHECK(npus[0].reason.find("no file at /nowhere/npu1.xclbin") != std::string::npos);
  CHECK(!npus[0].remedy.empty());
}

TEST_CASE("device list: what the driver says comes before what XRT lacks") {
  const auto refused =
      list_npus(std::vector{node_at(kPhoenix, "no permission")}, shown_at(kPhoenix), nowhere());
  REQUIRE(refused.size() == 1);
  CHECK(refused[0].reason == "no permission");
  CHECK(refused[0].remedy == "mend it");
  const auto hidden =
      list_npus(std::vector{node_at(kPhoenix)}, {{}, "built without XRT"}, nowhere());
  REQUIRE(hidden.size() == 1);
  CHECK(hidden[0].name == "npu");
  CHECK(hidden[0].node == "/dev/accel/accel0");
  CHECK(hidden[0].reason == "XRT does not show it: built without XRT");
  CHECK(!hidden[0].remedy.empty());
}

TEST_CASE("device list: an NPU whose XCLBIN fits can be used, by its columns") {
  const TemporaryFolder folder;
  for (const std::string target : {"npu1", "npu4"}) {
    folder.make_file(target + ".xclbin", container());
    folder.make_file(target + ".xclbin.json", R"({"schema": 1, "overlay": "0", "target": ")" +
                                                  target +
                                                  R"(", "kernel": "MLIR_AIE", "streams": {}})");
  }
  const npu::XclbinPlaces places{"", "", folder.path(), "/nowhere"};
  for (const auto& [columns, target] : {std::pair{5, "npu1"}, std::pair{8, "npu4"}}) {
    const auto npus = list_npus(std::vector{node_at(kPhoenix)},
                                shown_at(kPhoenix, static_cast<std::size_t>(columns)), places);
    REQUIRE(npus.size() == 1);
    CHECK(npus[0].reason.empty());
    CHECK(npus[0].xclbin == (folder.path() / (std::string(target) + ".xclbin")).string());
  }
  const npu::XclbinPlaces other{folder.path() / "npu4.xclbin", "", "", ""};
  CHECK(list_npus(std::vector{node_at(kPhoenix)}, shown_at(kPhoenix), other)[0].reason.find(
            "expected target npu1, found npu4") != std::string::npos);
}

TEST_CASE("device list: each node and each device once, whatever is there, and never nothing") {
  std::mt19937 random(25);
  for (int i = 0; i < 500; ++i) {
    std::vector<npu::ProbeResult> nodes;
    npu::XrtDevices shown;
    for (std::size_t n = random() % 4; n > 0; --n) {
      nodes.push_back(node_at(random() % 4 == 0 ? "" : "bdf" + std::to_string(n),
                              random() % 2 == 0 ? "" : "its driver is another"));
      nodes.back().name += std::to_string(n);
    }
    if (nodes.empty()) nodes.push_back({"npu", false, "none"});
    std::size_t n_shared = 0;
    for (std::size_t n = random() % 4; n > 0; --n) {
      const std::string bdf = "bdf" + std::to_string(n);
      shown.devices.push_back({bdf, "NPU", "", "", 5});
      for (const auto& node : nodes) n_shared += node.bdf == bdf ? 1 : 0;
    }
    const auto npus = list_npus(nodes, shown, nowhere());
    const bool is_absence = nodes.front().name == "npu";
    const std::size_t n_nodes = is_absence && !shown.devices.empty() ? 0 : nodes.size();
    CHECK(npus.size() == n_nodes + shown.devices.size() - n_shared);
    for (const ListedNpu& npu : npus) CHECK(!npu.reason.empty());  // no XCLBIN anywhere
    const json document = json::parse(devices_json(list_with(npus)));
    CHECK(tests::schema_fault("app/commands/devices/devices.schema.json", document) == "");
    CHECK(document["devices"].size() == npus.size() + 2);
  }
}

TEST_CASE("device list: this machine has a CPU and a simulated array, and JSON says so") {
  const DeviceList list = list_devices("", {});
  const json document = json::parse(devices_json(list));
  CHECK(tests::schema_fault("app/commands/devices/devices.schema.json", document) == "");
  CHECK(tests::enums_of(wnpu::tests::schema_of("app/commands/devices/devices.schema.json"))
            .at("device/kind") == tests::enum_of(backend_names()));
  const json& cpu = document["devices"].front();
  CHECK(cpu["kind"] == "cpu");
  CHECK(cpu["cpus"] >= 1);
  std::vector<std::string_view> names;
  for (const auto set : kernels::instruction_sets()) {
    names.push_back(kernels::instruction_set_name(set));
  }
  CHECK(cpu["available_isa"] == json(names));
  const json& simulated = document["devices"].back();
  CHECK(simulated["simulated"] == true);
  CHECK(simulated["presets"].front() == npu::kDefaultPreset);
  const std::string text = devices_text(list);
  CHECK(text.starts_with("cpu"));
  CHECK(text.find("simulated on the CPU; its times are modelled") != std::string::npos);
}

TEST_CASE("checks: what has failed is said, and only that") {
  std::vector<Check> checks = {{"CPU", CheckState::ok, "2 CPUs", ""},
                               {"NPU", CheckState::absent, "none", "buy one"}};
  CHECK(is_well(checks));
  checks.push_back({"model", CheckState::failed, "\xFF: damaged", "fetch it"});
  CHECK(!is_well(checks));
  const json document = json::parse(checks_json(checks));
  CHECK(tests::schema_fault("app/commands/devices/doctor.schema.json", document) == "");
  CHECK(document["works"] == false);
  CHECK(tests::enums_of(wnpu::tests::schema_of("app/commands/devices/doctor.schema.json"))
            .at("checks/state") == tests::enum_of(kCheckStateNames));
  const std::string text = checks_text(checks);
  CHECK(text.find("failed  model  \xFF: damaged\n               try: fetch it\n") !=
        std::string::npos);
  CHECK(text.ends_with("What was asked for does not work.\n"));
}
