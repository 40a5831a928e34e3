#include "app/engine/devices/device_names.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>
#include <system_error>

namespace wnpu::app {
namespace {

[[noreturn]] void refuse(std::string_view found) {
  throw Error("device", ": expected " + device_forms() + ", found " + std::string(found));
}

// The number behind "npu:", at most kMaxDevices.
std::optional<std::size_t> number_of(std::string_view name, std::string_view kind) {
  if (!name.starts_with(kind) || name.size() <= kind.size() + 1 || name[kind.size()] != ':') {
    return std::nullopt;
  }
  const std::string_view digits = name.substr(kind.size() + 1);
  std::size_t number = 0;
  const char* const end = digits.data() + digits.size();
  const auto [ptr, error] = std::from_chars(digits.data(), end, number);
  if (ptr != end || error != std::errc() || number > kMaxDevices) return std::nullopt;
  return number;
}

// Numbers of the devices; empty: the name is not of this kind's form.
std::vector<std::size_t> listed(std::string_view left, std::string_view kind) {
  std::vector<std::size_t> indexes;
  while (true) {
    const std::size_t end = std::min(left.find(','), left.size());
    const auto index = number_of(left.substr(0, end), kind);
    if (!index || std::ranges::count(indexes, *index) > 0) return {};
    indexes.push_back(*index);
    if (end == left.size()) return indexes;
    left = left.substr(end + 1);
  }
}

// Letters, digits and marks that names of providers and their devices have: "openvino:GPU.1",
// "openvino:HETERO:NPU,CPU".
bool is_own_name(std::string_view name) {
  const auto is_part = [](char c) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return is_letter || (c >= '0' && c <= '9') ||
           std::string_view(".:,_-").find(c) != std::string_view::npos;
  };
  return !name.empty() && name.front() != ':' && name.back() != ':' &&
         std::ranges::all_of(name, is_part);
}

std::vector<std::size_t> indexes_of(std::string_view name, const Backend& backend) {
  if (backend.several == Several::listed) return listed(name, backend.name);
  if (backend.several == Several::none) return {};
  std::vector<std::size_t> indexes(number_of(name, backend.name).value_or(0));
  std::iota(indexes.begin(), indexes.end(), 0);
  return indexes;
}

}  // namespace

NamedDevices parse_devices(const std::string& requested) {
  if (requested == kAutoDevice) return {};
  std::string_view devices = requested;
  const bool with_cpu = devices.starts_with(kWithCpu);
  if (with_cpu) devices.remove_prefix(kWithCpu.size());
  const Backend* const kind = find_backend(devices.substr(0, devices.find(':')));
  if (kind == nullptr || (with_cpu && kind->open == nullptr)) refuse(requested);
  if (devices == kind->name) return {kind, {}, with_cpu};
  if (kind->several == Several::named) {
    if (!is_own_name(devices.substr(kind->name.size() + 1))) refuse(requested);
    return {kind, {}, with_cpu};
  }
  std::vector<std::size_t> indexes = indexes_of(devices, *kind);
  if (indexes.empty()) refuse(requested);
  return {kind, std::move(indexes), with_cpu};
}

std::string device_forms() {
  const std::string cpu(backends().front().name);
  std::string alone{kAutoDevice};
  std::string several;
  std::string beside;
  for (const Backend& backend : backends()) {
    const std::string name(backend.name);
    alone += "|" + name;
    if (backend.several == Several::listed) several += "|" + name + ":N," + name + ":M,...";
    if (backend.several == Several::counted) several += "|" + name + ":COUNT";
    if (backend.several == Several::named) several += "|" + name + ":PROVIDER[:DEVICE]";
    if (backend.open == nullptr) continue;
    beside += "|" + cpu + "," + name + (backend.several == Several::none ? "" : "...");
  }
  return alone + several + beside;
}

}  // namespace wnpu::app
