// A call whose only use is the time it takes: one phase in all cores, on bytes that mean nothing,
// made so that two of them differ in one thing alone. The overlay is the layer's.
#pragma once

#include <cstddef>
#include <string>

#include "npu/design/design.h"

namespace wnpu::npu {

struct MicrobenchmarkCall {
  PhaseHeader phase;  // layer_norm, gelu, or a product in bf16 with the epilogue bias or bias_gelu
  // Every element of A and B is a task of its own, whose descriptor is there already.
  bool is_scattered = false;
  // A is what lies in the mem tiles, whatever it is, and costs DDR nothing.
  bool has_local_a = false;
  // Results stay in mem tiles, but for each core's last: the call ends when that is in DDR.
  bool keeps_results = false;
  // In every mem tile, more: the controller sets them before the call, and nothing takes them.
  std::size_t idle_locks = 0;
};

// Arguments: A, B and results. What is read lies in DDR end to end unless it is scattered.
Design microbenchmark_design(const Target& target, const std::string& name,
                             const MicrobenchmarkCall& call);

}  // namespace wnpu::npu
