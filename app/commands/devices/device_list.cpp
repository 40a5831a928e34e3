#include "app/commands/devices/device_list.h"

#include <algorithm>

#include "app/engine/available_cpus.h"
#include "app/engine/devices/backends.h"
#include "models/kernels/products/gemm.h"
#include "models/kernels/vectors/instruction_set.h"
#include "models/weights/precision.h"
#include "npu/design/target.h"
#include "npu/device.h"

namespace wnpu::app {
namespace {

constexpr const char* kInstallXrt =
    "install AMD's XRT with its plugin for XDNA, then build whisper-npu against it";
constexpr const char* kMakeXclbin = "bash npu/first_light/first_light.sh";

ListedCpu list_cpu() {
  ListedCpu cpu;
  cpu.machine = describe_machine();
  cpu.cpus = available_cpus();
  cpu.isa = kernels::instruction_set_name();
  for (const auto set : kernels::instruction_sets())
    cpu.available_isa.push_back(kernels::instruction_set_name(set));
  cpu.kernels = kernels::kernel_description();
  cpu.auto_precision = models::precision_name(models::auto_precision());
  return cpu;
}

SimulatedArray list_simulated() {
  const npu::Target& other = npu::npu4();
  SimulatedArray array{npu::npu1().name,
                       npu::npu1().product,
                       std::string(other.name) + " (" + std::string(other.product) + ")",
                       {}};
  for (const std::string_view clock : npu::clock_preset_names()) {
    for (const npu::KernelTable& table : npu::kernel_tables()) {
      array.presets.push_back(std::string(clock) + "/" + std::string(table.name));
    }
  }
  const auto usual = std::ranges::find(array.presets, npu::kDefaultPreset);
  std::rotate(array.presets.begin(), usual, usual + 1);
  return array;
}

// Entry for a device that XRT shows: whether its driver lets it be used, and whether an XCLBIN
// fits.
ListedNpu shown_npu(std::size_t index, const npu::XrtDeviceInfo& info, const npu::ProbeResult* node,
                    const npu::XclbinPlaces& places) {
  ListedNpu listed;
  listed.name = std::string(kNpuBackend) + ":" + std::to_string(index);
  listed.xrt = info;
  listed.target = npu::target_of_device(info).name;
  if (node != nullptr) {
    listed.node = node->name;
    listed.reason = node->reason;
    listed.remedy = node->remedy;
  }
  try {
    listed.xclbin = npu::installed_overlay(places, std::string(listed.target)).xclbin.string();
  } catch (const npu::DeviceError& error) {
    if (!listed.reason.empty()) return listed;
    listed.reason = error.what();
    listed.remedy = kMakeXclbin;
  }
  return listed;
}

// Entry for a node that XRT does not show, or for the absence of any.
ListedNpu hidden_npu(const npu::ProbeResult& node, const std::string& problem) {
  ListedNpu listed;
  listed.name = kNpuBackend;
  if (node.name != kNpuBackend) listed.node = node.name;
  listed.reason = node.reason;
  listed.remedy = node.remedy;
  if (!node.usable) return listed;
  listed.reason = "XRT does not show it" + (problem.empty() ? "" : ": " + problem);
  listed.remedy = kInstallXrt;
  return listed;
}

}  // namespace

std::vector<ListedNpu> list_npus(std::span<const npu::ProbeResult> nodes,
                                 const npu::XrtDevices& shown, const npu::XclbinPlaces& places) {
  std::vector<ListedNpu> listed;
  const auto same = [](const npu::ProbeResult& node, const npu::XrtDeviceInfo& info) {
    return !node.bdf.empty() && node.bdf == info.bdf;
  };
  for (std::size_t i = 0; i < shown.devices.size(); ++i) {
    const npu::XrtDeviceInfo& info = shown.devices[i];
    const auto node =
        std::ranges::find_if(nodes, [&](const auto& each) { return same(each, info); });
    listed.push_back(shown_npu(i, info, node == nodes.end() ? nullptr : &*node, places));
  }
  for (const npu::ProbeResult& node : nodes) {
    const auto is_node = [&](const npu::XrtDeviceInfo& info) { return same(node, info); };
    if (std::ranges::any_of(shown.devices, is_node)) continue;
    const bool is_absence = node.name == kNpuBackend;
    if (is_absence && !listed.empty()) continue;
    listed.push_back(hidden_npu(node, shown.problem));
  }
  return listed;
}

DeviceList list_devices(const std::string& xclbin, const encoder::OrtPlaces& ort) {
  return {list_cpu(), list_npus(npu::probe(), npu::list_xrt_devices(), npu::xclbin_places(xclbin)),
          npu::xrt_version(), list_simulated(), encoder::list_ort_providers(ort)};
}

}  // namespace wnpu::app
