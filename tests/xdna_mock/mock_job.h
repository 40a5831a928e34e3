// Between the stand-in for the amdxdna kernel driver and what stands in for the array: one command.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace wnpu::tests {

// States of a command (XRT's ert.h).
enum class CommandState : std::uint32_t { kNever = 0, kCompleted = 4, kError = 5, kAbort = 6 };

struct MockJob {
  std::span<const std::uint8_t> pdi;            // the XCLBIN's, of this compute unit
  std::span<const std::uint32_t> register_map;  // arguments at the offsets of the metadata
  // Device memory from `address` to the end of its buffer; empty where no buffer has it.
  std::function<std::span<std::byte>(std::uint64_t address)> memory;

  std::uint32_t u32(std::size_t byte_offset) const {
    return byte_offset / 4 < register_map.size() ? register_map[byte_offset / 4] : 0;
  }
  std::uint64_t u64(std::size_t byte_offset) const {
    return u32(byte_offset) | static_cast<std::uint64_t>(u32(byte_offset + 4)) << 32;
  }
};

// Executes a command: array_command.cpp.
CommandState run_job(const MockJob& job);

}  // namespace wnpu::tests
