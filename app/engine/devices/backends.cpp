#include "app/engine/devices/backends.h"

#include <algorithm>
#include <stdexcept>

#include "app/engine/devices/npu_devices.h"
#include "app/engine/devices/ort_devices.h"

namespace wnpu::app {
namespace {

using Nodes = std::span<const npu::ProbeResult>;

std::string always(Nodes /*nodes*/) { return ""; }

std::string why_no_npu(Nodes nodes) {
  const bool usable = std::ranges::any_of(nodes, [](const auto& found) { return found.usable; });
  if (usable) return "";
  const npu::ProbeResult& first = nodes.front();  // probe() is never empty
  return first.name == kNpuBackend ? first.reason : first.name + ": " + first.reason;
}

std::vector<Backend>& table() {
  static std::vector<Backend> rows = {
      {"cpu", always, nullptr, ""},
      {kNpuBackend, why_no_npu, open_npus, "an NPU is there and opens", Several::listed},
      {kSimulatorBackend, always, open_simulators, "", Several::counted},
      {kOrtBackend, always, open_ort_device, "", Several::named},
  };
  return rows;
}

}  // namespace

std::span<const Backend> backends() { return table(); }

const Backend* find_backend(std::string_view name) {
  const auto found = std::ranges::find(table(), name, &Backend::name);
  return found == table().end() ? nullptr : &*found;
}

std::vector<std::string_view> backend_names() {
  std::vector<std::string_view> names;
  for (const Backend& backend : backends()) names.push_back(backend.name);
  return names;
}

AddedBackend::AddedBackend(const Backend& backend) : name_(backend.name) {
  if (find_backend(name_) != nullptr || name_ == kAutoDevice) {
    throw std::invalid_argument("backend: expected a new name, found " + std::string(name_));
  }
  table().push_back(backend);
}

AddedBackend::~AddedBackend() {
  std::erase_if(table(), [this](const Backend& backend) { return backend.name == name_; });
}

bool may_be(std::string_view requested, std::string_view backend) {
  if (requested.starts_with(kWithCpu)) {
    return backend == backends().front().name || may_be(requested.substr(kWithCpu.size()), backend);
  }
  // "npu:0,npu:1" is of the kind npu.
  if (requested != kAutoDevice) return requested.substr(0, requested.find(':')) == backend;
  const Backend* const found = find_backend(backend);
  return found != nullptr && !found->automatic_reason.empty();
}

}  // namespace wnpu::app
