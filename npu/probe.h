// NPU detection: usable devices, or the reason why there is none.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace wnpu::npu {

// One accelerator node, or the absence of any.
struct ProbeResult {
  std::string name;  // "/dev/accel/accel0", or "npu" where there is no node at all
  bool usable = false;
  std::string reason;       // why it is not usable; empty when it is
  std::string remedy = {};  // the command that mends that; empty where none is known
  std::string bdf = {};     // its PCI address: "0000:c4:00.1"; empty where there is no node
};

// Looks below `root` (for tests; "/" otherwise): device nodes of the accel class whose driver is
// amdxdna, whether this process may open them and lock the memory that the driver wants. Never
// empty; opens nothing.
std::vector<ProbeResult> probe(const std::filesystem::path& root = "/");

// Limit on the memory that this process may lock (RLIMIT_MEMLOCK).
struct LockedMemory {
  std::uint64_t limit_bytes = 0;
  bool is_unlimited = false;  // no limit, or CAP_IPC_LOCK
};
LockedMemory locked_memory();

inline constexpr const char* kRaiseLockedMemory = "ulimit -l unlimited";
// Why `memory` does not suffice for the driver; empty when it does.
std::string locked_memory_problem(const LockedMemory& memory);

}  // namespace wnpu::npu
