#include <algorithm>
#include <cstdint>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/commands/devices/device_list.h"
#include "app/engine/devices/backends.h"
#include "app/formats/json_parts.h"
#include "app/formats/text_table.h"

namespace wnpu::app {
namespace {

using Json = nlohmann::ordered_json;

template <typename Texts>
std::string with_commas(const Texts& texts) {
  std::string all;
  for (const auto& text : texts) {
    if (!all.empty()) all += ", ";
    all += text;
  }
  return all;
}

std::string gigabytes(std::uint64_t bytes) {
  return decimal("%.1f GB", 1e-9 * static_cast<double>(bytes));
}

// A device: its name, whether it can be used, and lines about it.
struct DeviceEntry {
  std::string name;
  bool is_usable = true;
  std::vector<std::string> lines;
};

DeviceEntry row_of(const ListedCpu& cpu) {
  const Machine& machine = cpu.machine;
  std::string what = machine.cpu.empty() ? "unnamed" : machine.cpu;
  what +=
      ", " + std::to_string(cpu.cpus) + " of " + std::to_string(machine.online_cpus) + " CPUs, ";
  what += gigabytes(machine.memory_limit_bytes.value_or(machine.memory_bytes)) + " of memory";
  return {backends().front().name.data(),
          true,
          {what, "kernels: " + cpu.kernels + " (of " + with_commas(cpu.available_isa) + ")",
           "--precision auto: " + std::string(cpu.auto_precision)}};
}

DeviceEntry row_of(const ListedNpu& npu) {
  std::vector<std::string> facts;
  const npu::XrtDeviceInfo& xrt = npu.xrt;
  for (const std::string& fact : {xrt.name, npu.node, xrt.bdf}) {
    if (!fact.empty()) facts.push_back(fact);
  }
  if (!xrt.firmware.empty()) facts.push_back("firmware " + xrt.firmware);
  if (!xrt.power_mode.empty()) facts.push_back("power mode " + xrt.power_mode);
  if (xrt.columns > 0) facts.push_back(std::to_string(xrt.columns) + " columns");
  DeviceEntry row{npu.name, npu.reason.empty(), {}};
  if (!facts.empty()) row.lines.push_back(with_commas(facts));
  if (!npu.xclbin.empty()) row.lines.push_back("XCLBIN: " + npu.xclbin);
  if (!npu.reason.empty()) row.lines.push_back(npu.reason);
  if (!npu.remedy.empty()) row.lines.push_back("try: " + npu.remedy);
  return row;
}

DeviceEntry row_of(const SimulatedArray& array) {
  std::string what = std::string(array.target) + " (" + std::string(array.product) + ") or ";
  what += array.others + ", by the preset, simulated on the CPU; its times are modelled";
  return {
      std::string(kSimulatorBackend), true, {what, "--npu-preset: " + with_commas(array.presets)}};
}

DeviceEntry row_of(const encoder::OrtProvider& provider) {
  const std::string by = provider.vendor.empty() ? "" : " (" + provider.vendor + ")";
  return {std::string(kOrtBackend) + ":" + provider.name, true, {provider.device + by}};
}

Json ort_json(const encoder::OrtProvider& provider) {
  return {{"name", std::string(kOrtBackend) + ":" + provider.name},
          {"kind", kOrtBackend},
          {"usable", true},
          {"reason", ""},
          {"remedy", ""},
          {"product", provider.device}};
}

Json cpu_json(const ListedCpu& cpu) {
  const Machine& machine = cpu.machine;
  return {{"name", backends().front().name},
          {"kind", backends().front().name},
          {"usable", true},
          {"reason", ""},
          {"remedy", ""},
          {"product", machine.cpu},
          {"cpus", cpu.cpus},
          {"online_cpus", machine.online_cpus},
          {"memory_bytes", machine.memory_bytes},
          {"memory_limit_bytes", json_or_null(machine.memory_limit_bytes)},
          {"features", machine.features},
          {"isa", cpu.isa},
          {"available_isa", cpu.available_isa},
          {"kernels", cpu.kernels},
          {"auto_precision", cpu.auto_precision}};
}

Json npu_json(const ListedNpu& npu) {
  return {{"name", npu.name},
          {"kind", kNpuBackend},
          {"usable", npu.reason.empty()},
          {"reason", npu.reason},
          {"remedy", npu.remedy},
          {"product", npu.xrt.name},
          {"node", npu.node},
          {"address", npu.xrt.bdf},
          {"firmware", npu.xrt.firmware},
          {"power_mode", npu.xrt.power_mode},
          {"columns", npu.xrt.columns},
          {"target", npu.target},
          {"xclbin", npu.xclbin}};
}

Json simulated_json(const SimulatedArray& array) {
  return {{"name", kSimulatorBackend},
          {"kind", kSimulatorBackend},
          {"usable", true},
          {"reason", ""},
          {"remedy", ""},
          {"product", array.product},
          {"simulated", true},
          {"target", array.target},
          {"presets", array.presets}};
}

}  // namespace

std::string devices_text(const DeviceList& list) {
  std::vector<DeviceEntry> rows{row_of(list.cpu)};
  for (const ListedNpu& npu : list.npus) rows.push_back(row_of(npu));
  rows.push_back(row_of(list.simulated));
  for (const encoder::OrtProvider& provider : list.ort.providers) rows.push_back(row_of(provider));
  std::size_t width = 0;
  for (const DeviceEntry& row : rows) width = std::max(width, row.name.size());
  std::string text;
  for (const DeviceEntry& row : rows) {
    std::string head = row.name + std::string(width - row.name.size(), ' ');
    head += row.is_usable ? "  usable      " : "  not usable  ";
    const std::string under(head.size(), ' ');
    text += head + row.lines.front() + "\n";
    for (std::size_t i = 1; i < row.lines.size(); ++i) text += under + row.lines[i] + "\n";
  }
  text += list.has_xrt() ? "NPUs through " + list.xrt + "\n"
                         : list.xrt + ": no NPU can be used; " + kBuildWithXrt + "\n";
  const bool has_ort = list.ort.problem.empty();
  return text + (has_ort ? list.ort.version + ", " + list.ort.library : list.ort.problem) + "\n";
}

std::string devices_json(const DeviceList& list) {
  Json devices = Json::array({cpu_json(list.cpu)});
  for (const ListedNpu& npu : list.npus) devices.push_back(npu_json(npu));
  devices.push_back(simulated_json(list.simulated));
  for (const encoder::OrtProvider& provider : list.ort.providers) {
    devices.push_back(ort_json(provider));
  }
  const Json all = {{"schema_version", 1},
                    {"xrt", list.xrt},
                    {"ort", list.ort.version},
                    {"ort_problem", list.ort.problem},
                    {"devices", std::move(devices)}};
  return all.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace wnpu::app
