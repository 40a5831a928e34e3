// A command as the NPU's controller sees it: opcode, instructions, their count, five or so buffers.
#include <iostream>

#include "npu/design/layer_abi.h"
#include "tests/xdna_mock/array_executor.h"
#include "tests/xdna_mock/mock_job.h"

namespace wnpu::tests {
namespace {

// Offsets of the register map, as xclbin_file.cpp declares them.
constexpr std::size_t kInstructionsAt = 0x08;
constexpr std::size_t kCountAt = 0x10;
constexpr std::size_t kBuffersAt = 0x14;
// The device heap, where a real controller reads instructions (amdxdna: AIE2_DEVM_BASE, _SIZE).
constexpr std::uint64_t kHeapBegin = 0x4000000;
constexpr std::uint64_t kHeapEnd = kHeapBegin + (512ULL << 20);

CommandState refuse(const char* why) {
  std::cerr << "xdna-mock: command refused: " << why << "\n";
  return CommandState::kError;
}

}  // namespace

CommandState run_job(const MockJob& job) {
  if (job.u64(0) != npu::kOpcode) return refuse("opcode is not 3");
  const std::uint64_t address = job.u64(kInstructionsAt);
  if (address < kHeapBegin || address >= kHeapEnd) return refuse("instructions not in the heap");
  const std::span<std::byte> bytes = job.memory(address);
  const std::size_t n_words = job.u32(kCountAt);
  if (n_words > bytes.size() / 4) return refuse("more instructions than their buffer has");
  std::vector<std::span<std::byte>> arguments;
  for (std::size_t at = kBuffersAt; at / 4 + 1 < job.register_map.size(); at += 8) {
    arguments.push_back(job.memory(job.u64(at)));
    if (arguments.back().empty()) return refuse("an argument points to no buffer");
  }
  try {
    execute({reinterpret_cast<const std::uint32_t*>(bytes.data()), n_words}, arguments);
  } catch (const std::exception& error) {
    return refuse(error.what());
  }
  return CommandState::kCompleted;
}

}  // namespace wnpu::tests
