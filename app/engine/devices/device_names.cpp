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

std::vector<std::size_t> npu_indexes(std::string_view requested) {
  std::vector<std::size_t> indexes;
  std::string_view left = requested;
  while (true) {
    const std::size_t end = std::min(left.find(','), left.size());
    const auto index = number_of(left.substr(0, end), kNpuBackend);
    if (!index || std::ranges::count(indexes, *index) > 0) refuse(requested);
    indexes.push_back(*index);
    if (end == left.size()) return indexes;
    left = left.substr(end + 1);
  }
}

std::vector<std::size_t> simulator_indexes(std::string_view requested) {
  const std::size_t count = number_of(requested, kSimulatorBackend).value_or(0);
  if (count == 0) refuse(requested);
  std::vector<std::size_t> indexes(count);
  std::iota(indexes.begin(), indexes.end(), 0);
  return indexes;
}

}  // namespace

NamedDevices parse_devices(const std::string& requested) {
  if (requested == kAutoDevice) return {};
  std::string_view devices = requested;
  const bool with_cpu = devices.starts_with(kWithCpu);
  if (with_cpu) devices.remove_prefix(kWithCpu.size());
  const Backend* const alone = find_backend(devices);
  if (alone != nullptr && (!with_cpu || alone->make != nullptr)) return {alone, {}, with_cpu};
  const std::string_view kind = devices.substr(0, devices.find(':'));
  try {
    if (kind == kNpuBackend) return {find_backend(kind), npu_indexes(devices), with_cpu};
    if (kind == kSimulatorBackend) {
      return {find_backend(kind), simulator_indexes(devices), with_cpu};
    }
  } catch (const Error&) {
    refuse(requested);  // the whole of it
  }
  refuse(requested);
}

std::string device_forms() {
  std::string forms{kAutoDevice};
  for (const Backend& backend : backends()) forms += "|" + std::string(backend.name);
  const std::string npu{kNpuBackend};
  const std::string cpu{backends().front().name};
  return forms + "|" + npu + ":N," + npu + ":M,...|" + std::string(kSimulatorBackend) + ":COUNT|" +
         cpu + "," + npu + "...|" + cpu + "," + std::string(kSimulatorBackend) + "...";
}

}  // namespace wnpu::app
