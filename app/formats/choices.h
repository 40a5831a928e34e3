// Choices that the program made where its user left them open, for JSON and messages.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace wnpu::app {

struct Chosen {
  std::string option;  // "--precision"
  std::string value;   // as the command line has it
  std::string reason;  // "--optimize-for speed"
};

struct Choices {
  std::string optimize_for;  // the goal that was asked for; empty: none
  // Bytes that the process may take on the host, and that it takes at most as estimated; none: no
  // limit was given, or it was one of an NPU's buffers.
  std::optional<std::uint64_t> memory_limit;
  std::uint64_t memory_estimate = 0;
  std::vector<Chosen> options;

  bool is_asked_for() const { return !optimize_for.empty() || memory_limit.has_value(); }
};

}  // namespace wnpu::app
