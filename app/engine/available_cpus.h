// How many threads are of use here.
#pragma once

#include <filesystem>
#include <string>

namespace wnpu::app {

// CPUs that this process may run on: its affinity, and the quota of its control groups (versions 1
// and 2) rounded up. At least 1.
unsigned available_cpus();

// The quota alone, as read below `root` (for tests; "/" otherwise); 0: none.
unsigned cgroup_cpus(const std::filesystem::path& root);

}  // namespace wnpu::app
