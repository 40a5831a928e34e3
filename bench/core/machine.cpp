#include "bench/core/machine.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <sched.h>
#include <sstream>
#include <string_view>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "models/base/folder.h"

namespace wnpu::bench {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 13> kKernelFeatures = {
    "sse4_2",      "avx",         "f16c",        "fma",      "avx2",     "avx_vnni", "avx512f",
    "avx512_vnni", "avx512_bf16", "avx512_fp16", "amx_tile", "amx_int8", "amx_bf16"};

std::string first_line(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

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

rusage own_usage() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return usage;
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

std::optional<std::uint64_t> read_counter(const fs::path& path) {
  std::ifstream file(path);
  std::uint64_t value = 0;
  return file >> value ? std::optional(value) : std::nullopt;
}

}  // namespace

Machine describe_machine(const fs::path& root) {
  Machine machine;
  machine.cpu = value_of(root / "proc/cpuinfo", "model name");
  machine.features = kernel_features(value_of(root / "proc/cpuinfo", "flags"));
  machine.online_cpus = static_cast<unsigned>(sysconf(_SC_NPROCESSORS_ONLN));
  machine.usable_cpus = usable_cpus();
  const std::vector<fs::path> groups = control_groups(root);
  machine.cpu_limit = cpu_limit(groups);
  machine.memory_bytes = memory_bytes(root);
  machine.memory_limit_bytes = memory_limit(groups);
  machine.kernel = kernel_name();
  return machine;
}

std::uint64_t peak_rss_bytes() {
  return static_cast<std::uint64_t>(own_usage().ru_maxrss) * 1024;  // kilobytes on Linux
}

double own_cpu_seconds() {
  const rusage usage = own_usage();
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

NoiseMeter::NoiseMeter(fs::path root) : root_(std::move(root)), start_(read()) {}

NoiseMeter::Times NoiseMeter::read() const {
  // man 5 proc: cpu user nice system idle iowait irq softirq steal (guest is within user)
  std::istringstream line(first_line(root_ / "proc/stat"));
  std::string label;
  std::array<double, 8> ticks = {};
  line >> label;
  for (double& tick : ticks) {
    line >> tick;
  }
  const auto& [user, nice, system, idle, iowait, irq, softirq, steal] = ticks;
  const auto ticks_per_second = static_cast<double>(sysconf(_SC_CLK_TCK));
  const double busy = user + nice + system + irq + softirq;
  return {busy / ticks_per_second, steal / ticks_per_second,
          (busy + idle + iowait + steal) / ticks_per_second};
}

NoiseMeter::Noise NoiseMeter::noise(double own_cpu_seconds) const {
  const Times now = read();
  const double total = now.total - start_.total;
  if (total <= 0) {
    return {};
  }
  const double other = now.busy - start_.busy - own_cpu_seconds;
  return {std::max(0.0, other / total), (now.steal - start_.steal) / total};
}

EnergyMeter::EnergyMeter(const fs::path& root) {
  const fs::path powercap = root / "sys/class/powercap";
  if (!fs::exists(powercap)) {
    why_not_ = "no " + powercap.string() + ": no RAPL, or hidden from this virtual machine";
    return;
  }
  std::error_code error;
  for (const std::string& name : models::names_in(powercap, error)) {
    // intel-rapl:0 is a package (AMD's as well), intel-rapl:0:1 a part of it.
    const fs::path zone = models::join(powercap, name);
    if (name.rfind("intel-rapl:", 0) != 0 || std::count(name.begin(), name.end(), ':') != 1 ||
        first_line(models::join(zone, "name")).rfind("package", 0) != 0) {
      continue;
    }
    const auto start = read_counter(models::join(zone, "energy_uj"));
    const auto range = read_counter(models::join(zone, "max_energy_range_uj"));
    if (!start || !range) {
      why_not_ = (models::join(zone, "energy_uj")).string() + " cannot be read: needs root";
      packages_.clear();
      return;
    }
    packages_.push_back({zone, *start, *range});
  }
  if (packages_.empty()) {
    why_not_ = "no intel-rapl package in " + powercap.string();
  }
}

std::optional<double> EnergyMeter::joules() const {
  if (packages_.empty()) {
    return std::nullopt;
  }
  std::uint64_t microjoules = 0;
  for (const Package& package : packages_) {
    const auto now = read_counter(package.folder / "energy_uj");
    if (!now) {
      return std::nullopt;
    }
    microjoules += *now >= package.start_uj ? *now - package.start_uj
                                            : *now + package.range_uj - package.start_uj;
  }
  return 1e-6 * static_cast<double>(microjoules);
}

}  // namespace wnpu::bench
