#include "npu/probe.h"

#include <algorithm>
#include <fstream>
#include <sys/resource.h>
#include <unistd.h>

namespace wnpu::npu {
namespace fs = std::filesystem;
namespace {

// libxrt_driver_xdna maps 64 MiB of device heap with MAP_LOCKED when it opens a device (XRT 2.25).
constexpr std::uint64_t kLockedBytes = 64ULL << 20;

// Linux, Documentation/accel: nodes are /dev/accel/accel<N>, their device is
// /sys/class/accel/accel<N>/device and `driver` below it links to the kernel module's folder.
ProbeResult probe_node(const fs::path& root, const fs::path& node) {
  const std::string name = "/dev/accel/" + node.filename().string();
  std::error_code error;
  const auto link = root / "sys/class/accel" / node.filename() / "device/driver";
  const auto driver = fs::read_symlink(link, error).filename().string();
  if (driver != "amdxdna") {
    return {name, false,
            "its driver is " + (driver.empty() ? "unknown" : driver) + ", not amdxdna"};
  }
  if (::access(node.c_str(), R_OK | W_OK) != 0) {
    return {name, false, "no permission to open it: add this user to the group render"};
  }
  const std::string problem = locked_memory_problem(locked_memory());
  return {name, problem.empty(), problem};
}

std::string first_line(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// An NPU on the PCI bus that no driver has taken: 1022:1502 is Phoenix and Hawk Point, 1022:17f0
// Strix and later (amdxdna, amdxdna_pci_drv.c).
std::string idle_npu(const fs::path& root) {
  std::error_code error;
  for (const auto& device : fs::directory_iterator(root / "sys/bus/pci/devices", error)) {
    const std::string id = first_line(device.path() / "device");
    if (first_line(device.path() / "vendor") != "0x1022") continue;
    if (id != "0x1502" && id != "0x17f0") continue;
    return "NPU " + device.path().filename().string() +
           " has no driver: load amdxdna (Linux 6.14 or later)";
  }
  return {};
}

}  // namespace

LockedMemory locked_memory() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_MEMLOCK, &limit) != 0) return {0, true};
  // capabilities(7): CAP_IPC_LOCK is bit 14 and lifts the limit; proc(5): CapEff is hexadecimal.
  static constexpr std::uint64_t kIpcLock = 1ULL << 14;
  std::ifstream status("/proc/self/status");
  std::string word;
  std::uint64_t capabilities = 0;
  while (status >> word) {
    if (word == "CapEff:") status >> std::hex >> capabilities;
  }
  return {limit.rlim_cur, limit.rlim_cur == RLIM_INFINITY || (capabilities & kIpcLock) != 0};
}

std::string locked_memory_problem(const LockedMemory& memory) {
  if (memory.is_unlimited || memory.limit_bytes >= kLockedBytes) return {};
  return "this process may lock " + std::to_string(memory.limit_bytes >> 10) +
         " KiB of memory and the driver wants " + std::to_string(kLockedBytes >> 10) +
         ": raise it (ulimit -l unlimited, or memlock in /etc/security/limits.conf)";
}

std::vector<ProbeResult> probe(const fs::path& root) {
  std::vector<fs::path> nodes;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(root / "dev/accel", error)) {
    if (entry.path().filename().string().starts_with("accel")) nodes.push_back(entry.path());
  }
  if (nodes.empty()) {
    const std::string idle = idle_npu(root);
    return {
        {"npu", false, idle.empty() ? "no /dev/accel/accel0: no NPU, or no amdxdna driver" : idle}};
  }
  std::sort(nodes.begin(), nodes.end());
  std::vector<ProbeResult> results;
  results.reserve(nodes.size());
  for (const auto& node : nodes) results.push_back(probe_node(root, node));
  return results;
}

}  // namespace wnpu::npu
