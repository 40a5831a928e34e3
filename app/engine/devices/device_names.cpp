#include "app/engine/devices/device_names.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>
#include <system_error>

namespace wnpu::app {
namespace {

[[noreturn]] void refuse(const std::string& found) {
  throw Error("device", ": expected " + device_forms() + ", found " + found);
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

std::vector<std::size_t> npu_indexes(const std::string& requested) {
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

std::vector<std::size_t> simulator_indexes(const std::string& requested) {
  const std::size_t count = number_of(requested, kSimulatorBackend).value_or(0);
  if (count == 0) refuse(requested);
  std::vector<std::size_t> indexes(count);
  std::iota(indexes.begin(), indexes.end(), 0);
  return indexes;
}

}  // namespace

NamedDevices parse_devices(const std::string& requested) {
  if (requested == kAutoDevice) return {};
  if (const Backend* const backend = find_backend(requested)) return {backend, {}};
  const std::string kind = requested.substr(0, requested.find(':'));
  if (kind == kNpuBackend) return {find_backend(kind), npu_indexes(requested)};
  if (kind == kSimulatorBackend) return {find_backend(kind), simulator_indexes(requested)};
  refuse(requested);
}

std::string device_forms() {
  std::string forms{kAutoDevice};
  for (const Backend& backend : backends()) forms += "|" + std::string(backend.name);
  const std::string npu{kNpuBackend};
  return forms + "|" + npu + ":N," + npu + ":M,...|" + std::string(kSimulatorBackend) + ":COUNT";
}

}  // namespace wnpu::app
