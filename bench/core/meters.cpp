#include "bench/core/meters.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>
#include <sys/resource.h>
#include <unistd.h>

#include "models/base/folder.h"

namespace wnpu::bench {
namespace {

namespace fs = std::filesystem;

std::string first_line(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

rusage usage_of(int who) {
  rusage usage = {};
  getrusage(who, &usage);
  return usage;
}

double cpu_seconds_of(int who) {
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  const rusage usage = usage_of(who);
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

std::optional<std::uint64_t> read_counter(const fs::path& path) {
  std::ifstream file(path);
  std::uint64_t value = 0;
  return file >> value ? std::optional(value) : std::nullopt;
}

}  // namespace

std::uint64_t peak_rss_bytes() {
  return static_cast<std::uint64_t>(usage_of(RUSAGE_SELF).ru_maxrss) * 1024;  // kilobytes on Linux
}

double own_cpu_seconds() { return cpu_seconds_of(RUSAGE_SELF); }

double children_cpu_seconds() { return cpu_seconds_of(RUSAGE_CHILDREN); }

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
