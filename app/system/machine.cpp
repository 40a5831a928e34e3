#include "app/system/machine.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <sched.h>
#include <sstream>
#include <string_view>
#include <sys/utsname.h>
#include <unistd.h>

namespace wnpu::app {
namespace {

namespace fs = std::filesystem;

// As /proc/cpuinfo has them, of x86 and of ARM.
constexpr std::array<std::string_view, 15> kKernelFeatures = {
    "sse4_2",   "avx",      "f16c",        "fma",         "avx2",
    "avx_vnni", "avx512f",  "avx512_vnni", "avx512_bf16", "avx512_fp16",
    "amx_tile", "amx_int8", "amx_bf16",    "asimd",       "asimddp"};

// "key : value" of /proc/cpuinfo and /proc/meminfo; empty where the key is missing.
std::string value_of(const fs::path& path, std::string_view key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(':');
    if (colon != std::string::npos && line.compare(0, key.size(), key) == 0 &&
        line.find_first_not_of(" \t", key.size()) == colon) {
      const std::size_t start = line.find_first_not_of(" \t", colon + 1);
      return start == std::string::npos ? "" : line.substr(start);
    }
  }
  return {};
}

std::vector<std::string> kernel_features(const std::string& flags) {
  std::vector<std::string> features;
  std::istringstream words(flags);
  for (std::string word; words >> word;) {
    if (std::find(kKernelFeatures.begin(), kKernelFeatures.end(), word) != kKernelFeatures.end()) {
      features.push_back(word);
    }
  }
  return features;
}

// ARM's has numbers in place of a name (Documentation/arch/arm64/cpu-feature-registers.rst, MIDR).
std::string cpu_name(const fs::path& cpuinfo) {
  std::string name = value_of(cpuinfo, "model name");
  const std::string part = value_of(cpuinfo, "CPU part");
  if (!name.empty() || part.empty()) return name;
  return "ARM implementer " + value_of(cpuinfo, "CPU implementer") + " part " + part;
}

unsigned usable_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) != 0) {
    return 0;
  }
  return static_cast<unsigned>(CPU_COUNT(&set));
}

// The folders of this process's control group (version 2) and all above it, whose limits all hold.
std::vector<fs::path> control_groups(const fs::path& root) {
  std::vector<fs::path> folders;
  const fs::path mount = root / "sys/fs/cgroup";
  std::ifstream file(root / "proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("0::/", 0) != 0) {  // version 2: hierarchy 0, no controllers
      continue;
    }
    for (fs::path group = line.substr(4); !group.empty(); group = group.parent_path()) {
      folders.push_back(mount / group);
    }
  }
  folders.push_back(mount);
  return folders;
}

// cpu.max is "QUOTA PERIOD" in microseconds, or "max PERIOD".
std::optional<double> cpu_limit(const std::vector<fs::path>& groups) {
  std::optional<double> limit;
  for (const fs::path& group : groups) {
    std::ifstream file(group / "cpu.max");
    double quota = 0;
    double period = 0;
    if (file >> quota >> period && period > 0) {
      limit = std::min(limit.value_or(quota / period), quota / period);
    }
  }
  return limit;
}

// memory.max is bytes or "max".
std::optional<std::uint64_t> memory_limit(const std::vector<fs::path>& groups) {
  std::optional<std::uint64_t> limit;
  for (const fs::path& group : groups) {
    std::ifstream file(group / "memory.max");
    std::uint64_t bytes = 0;
    if (file >> bytes) {
      limit = std::min(limit.value_or(bytes), bytes);
    }
  }
  return limit;
}

std::uint64_t memory_bytes(const fs::path& root) {
  std::istringstream value(value_of(root / "proc/meminfo", "MemTotal"));
  std::uint64_t kilobytes = 0;
  value >> kilobytes;
  return kilobytes * 1024;
}

std::string kernel_name() {
  utsname name = {};
  uname(&name);
  return std::string(name.sysname) + " " + name.release + " " + name.machine;
}

}  // namespace

Machine describe_machine(const fs::path& root) {
  Machine machine;
  const fs::path cpuinfo = root / "proc/cpuinfo";
  machine.cpu = cpu_name(cpuinfo);
  machine.features =
      kernel_features(value_of(cpuinfo, "flags") + " " + value_of(cpuinfo, "Features"));
  machine.online_cpus = static_cast<unsigned>(sysconf(_SC_NPROCESSORS_ONLN));
  machine.usable_cpus = usable_cpus();
  const std::vector<fs::path> groups = control_groups(root);
  machine.cpu_limit = cpu_limit(groups);
  machine.memory_bytes = memory_bytes(root);
  machine.memory_limit_bytes = memory_limit(groups);
  machine.kernel = kernel_name();
  return machine;
}

}  // namespace wnpu::app
