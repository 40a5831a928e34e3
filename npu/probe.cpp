#include "npu/probe.h"

#include <array>
#include <cstdio>
#include <fstream>
#include <sys/resource.h>
#include <unistd.h>

namespace wnpu::npu {
namespace fs = std::filesystem;
namespace {

// libxrt_driver_xdna maps 64 MiB of device heap with MAP_LOCKED when it opens a device (XRT 2.25).
constexpr std::uint64_t kLockedBytes = 64ULL << 20;

// Nodes that are looked for: far more than there are on a board.
constexpr int kMaxAccelerators = 64;

constexpr const char* kLoadDriver = "sudo modprobe amdxdna";

// Linux, Documentation/accel: nodes are /dev/accel/accel<N>, their device is
// /sys/class/accel/accel<N>/device, a link to its folder, which a PCI device's address names, and
// `driver` below it links to the kernel module's folder.
ProbeResult probe_node(const fs::path& root, const fs::path& node) {
  std::error_code error;
  const fs::path device =
      root.native() + "/sys/class/accel/" + node.filename().native() + "/device";
  ProbeResult found;
  found.name = "/dev/accel/" + node.filename().string();
  found.bdf = fs::read_symlink(device, error).filename().string();
  const auto driver = fs::read_symlink(device.native() + "/driver", error).filename().string();
  if (driver != "amdxdna") {
    found.reason = "its driver is " + (driver.empty() ? "unknown" : driver) + ", not amdxdna";
  } else if (::access(node.c_str(), R_OK | W_OK) != 0) {
    found.reason = "no permission to open it: add this user to the group render";
    found.remedy = "sudo usermod -aG render $USER";
  } else {
    found.reason = locked_memory_problem(locked_memory());
    if (!found.reason.empty()) found.remedy = kRaiseLockedMemory;
  }
  found.usable = found.reason.empty();
  return found;
}

// An NPU on the PCI bus that no driver has taken: 1022:1502 is Phoenix and Hawk Point, 1022:17f0
// Strix and later (amdxdna, amdxdna_pci_drv.c). A line begins, in hexadecimal, with a device's bus,
// five bits of slot and three of function, then its ids (Linux, drivers/pci/proc.c).
std::string idle_npu(const fs::path& root) {
  std::ifstream devices(root.native() + "/proc/bus/pci/devices");
  for (std::string line; std::getline(devices, line);) {
    unsigned bus = 0;
    unsigned place = 0;
    unsigned ids = 0;
    if (std::sscanf(line.c_str(), "%2x%2x %8x", &bus, &place, &ids) != 3) continue;
    if (ids != 0x10221502 && ids != 0x102217f0) continue;
    std::array<char, 16> name{};
    std::snprintf(name.data(), name.size(), "%02x:%02x.%u", bus, place >> 3U, place & 7U);
    return "NPU " + std::string(name.data()) + " has no driver: load amdxdna (Linux 6.14 or later)";
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
  for (int n = 0; n < kMaxAccelerators; ++n) {
    fs::path node = root.native() + "/dev/accel/accel" + std::to_string(n);
    if (fs::exists(node, error)) nodes.push_back(std::move(node));
  }
  if (nodes.empty()) {
    ProbeResult none;
    none.name = "npu";
    none.reason = idle_npu(root);
    if (none.reason.empty()) {
      none.reason = "no /dev/accel/accel0: no NPU, or no amdxdna driver";
    } else {
      none.remedy = kLoadDriver;
    }
    return {none};
  }
  std::vector<ProbeResult> results;
  results.reserve(nodes.size());
  for (const auto& node : nodes) results.push_back(probe_node(root, node));
  return results;
}

}  // namespace wnpu::npu
