// What NPUs are there, and where there is none that can be used: why not.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace wnpu::npu {

// One accelerator node, or the absence of any.
struct ProbeResult {
  std::string name;  // "/dev/accel/accel0", or "npu" where there is no node at all
  bool usable = false;
  std::string reason;  // why it is not usable; empty when it is
};

// Looks below `root` (for tests; "/" otherwise): device nodes of the accel class whose driver is
// amdxdna, and whether this process may open them. Never empty; opens nothing.
std::vector<ProbeResult> probe(const std::filesystem::path& root = "/");

}  // namespace wnpu::npu
