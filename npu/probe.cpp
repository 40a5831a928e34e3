#include "npu/probe.h"

#include <algorithm>
#include <unistd.h>

namespace wnpu::npu {
namespace {

// Linux, Documentation/accel: nodes are /dev/accel/accel<N>, their device is
// /sys/class/accel/accel<N>/device and `driver` below it links to the kernel module's folder.
ProbeResult probe_node(const std::filesystem::path& root, const std::filesystem::path& node) {
  const std::string name = "/dev/accel/" + node.filename().string();
  std::error_code error;
  const auto link = root / "sys/class/accel" / node.filename() / "device/driver";
  const auto driver = std::filesystem::read_symlink(link, error).filename().string();
  if (driver != "amdxdna") {
    return {name, false,
            "its driver is " + (driver.empty() ? "unknown" : driver) + ", not amdxdna"};
  }
  if (::access(node.c_str(), R_OK | W_OK) != 0) {
    return {name, false, "no permission to open it: add this user to the group render"};
  }
  return {name, true, ""};
}

}  // namespace

std::vector<ProbeResult> probe(const std::filesystem::path& root) {
  std::vector<std::filesystem::path> nodes;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(root / "dev/accel", error)) {
    if (entry.path().filename().string().starts_with("accel")) nodes.push_back(entry.path());
  }
  if (nodes.empty()) return {{"npu", false, "no /dev/accel/accel0: no NPU, or no amdxdna driver"}};
  std::sort(nodes.begin(), nodes.end());
  std::vector<ProbeResult> results;
  for (const auto& node : nodes) results.push_back(probe_node(root, node));
  return results;
}

}  // namespace wnpu::npu
