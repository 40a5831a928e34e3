#include "app/engine/available_cpus.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sched.h>
#include <thread>

#include "models/base/folder.h"

namespace wnpu::app {
namespace {

namespace fs = std::filesystem;

unsigned cpus_of(double quota, double period) {
  return quota > 0 && period > 0 ? static_cast<unsigned>(std::ceil(quota / period)) : 0;
}

unsigned lower(unsigned a, unsigned b) {
  return a == 0 || b == 0 ? std::max(a, b) : std::min(a, b);
}

// Linux Documentation/admin-guide/cgroup-v2.rst, cpu.max: "QUOTA PERIOD", QUOTA may be "max".
unsigned quota_v2(const fs::path& folder) {
  std::ifstream file(models::join(folder, "cpu.max"));
  double quota = 0;
  double period = 0;
  return file >> quota >> period ? cpus_of(quota, period) : 0;
}

// Linux Documentation/scheduler/sched-bwc.rst: a quota of -1 is none.
unsigned quota_v1(const fs::path& folder) {
  std::ifstream quota_file(models::join(folder, "cpu.cfs_quota_us"));
  std::ifstream period_file(models::join(folder, "cpu.cfs_period_us"));
  double quota = 0;
  double period = 0;
  return quota_file >> quota && period_file >> period ? cpus_of(quota, period) : 0;
}

bool names_cpu(const std::string& controllers) {
  return ("," + controllers + ",").find(",cpu,") != std::string::npos;
}

}  // namespace

unsigned cgroup_cpus(const fs::path& root) {
  unsigned cpus = 0;
  std::ifstream groups(models::join(root, "proc/self/cgroup"));
  // A line is "ID:CONTROLLERS:PATH"; version 2 has no controllers. A limit holds for all below it,
  // so parents count; in a container the path may be the host's, and then only the top is there.
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool is_v2 = controllers.empty();
    if (!is_v2 && !names_cpu(controllers)) continue;
    const fs::path top = models::join(root, is_v2 ? "sys/fs/cgroup" : "sys/fs/cgroup/cpu");
    for (fs::path path = line.substr(second + 1);; path = path.parent_path()) {
      const fs::path folder = models::join(top, path.relative_path().native());
      cpus = lower(cpus, is_v2 ? quota_v2(folder) : quota_v1(folder));
      if (path.relative_path().empty()) break;
    }
  }
  return cpus;
}

unsigned available_cpus() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  const bool known = ::sched_getaffinity(0, sizeof allowed, &allowed) == 0;
  const unsigned count =
      known ? static_cast<unsigned>(CPU_COUNT(&allowed)) : std::thread::hardware_concurrency();
  return std::max(1U, lower(count, cgroup_cpus("/")));
}

}  // namespace wnpu::app
