// The machine that the program runs on. Everything is read below `root`, which is "/" outside of
// tests.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace wnpu::app {

struct Machine {
  std::string cpu;                    // model name
  std::vector<std::string> features;  // of those that choose our kernels: "avx2", "avx512_vnni"
  unsigned online_cpus = 0;
  unsigned usable_cpus = 0;         // that this process may run on (affinity)
  std::optional<double> cpu_limit;  // CPUs' worth of time a control group allows
  std::uint64_t memory_bytes = 0;
  std::optional<std::uint64_t> memory_limit_bytes;  // of a control group
  std::string kernel;                               // "Linux 6.1.0-13-amd64 x86_64"
};

Machine describe_machine(const std::filesystem::path& root = "/");

}  // namespace wnpu::app
