// Control programs that a test changes, run from their bytes: does the simulator still bring the
// right result, or does it notice?
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "npu/control/call_program.h"
#include "npu/sim/compile_call.h"
#include "tests/npu/small_design.h"
#include "tests/support/tile_layout.h"

namespace wnpu::tests {

using Bytes = std::vector<std::byte>;

class ProgramRuns {
 public:
  explicit ProgramRuns(const npu::Design& design)
      : call_(npu::encoded_call(design, npu::compile_call(design, preset()).program.program)),
        program_(npu::decode(call_.program)) {
    for (std::size_t i = 0; i < call_.argument_bytes.size(); ++i) {
      const auto values = random_bf16(call_.argument_bytes[i] / 2, 100 + i);
      const auto bytes = std::as_bytes(std::span(values));
      arguments_.emplace_back(bytes.begin(), bytes.end());
    }
    right_ = results_of(program_);
  }

  // As it was compiled.
  const npu::ControlProgram& program() const { return program_; }
  const npu::EncodedCall& call() const { return call_; }

  // Why the program does not come to its end; empty where it does. Time only.
  std::string fault_of(const npu::ControlProgram& program,
                       const npu::HardwareModel& times = preset()) const {
    try {
      npu::simulate(encoded(program), {&times}, {});
    } catch (const npu::SimulationError& error) {
      return error.what();
    }
    return "";
  }

  // All bytes of all arguments afterwards.
  std::vector<Bytes> results_of(const npu::ControlProgram& program,
                                const npu::HardwareModel& times = preset()) const {
    std::vector<Bytes> memory = arguments_;
    std::vector<std::span<std::byte>> spans(memory.begin(), memory.end());
    npu::WorkerPool pool(1);
    npu::simulate(encoded(program), {&times}, {spans, &pool});
    return memory;
  }

  // It comes to its end and leaves what the program as compiled leaves, at other speeds as well: a
  // lock that is not waited for shows where what it guards comes late.
  bool is_right(const npu::ControlProgram& program) const {
    for (const npu::HardwareModel& times : speeds()) {
      if (!fault_of(program, times).empty()) return false;
    }
    return std::ranges::all_of(speeds(), [&](const npu::HardwareModel& times) {
      return results_of(program, times) == right_;
    });
  }

 private:
  static const std::vector<npu::HardwareModel>& speeds() {
    static const std::vector<npu::HardwareModel> kSpeeds = [] {
      std::vector<npu::HardwareModel> all(3, preset());
      all[1].kernels.bf16_mac_per_cycle.value /= 100;  // cores are late
      all[1].kernels.softmax_cycles.value *= 100;
      all[1].kernels.layer_norm_cycles.value *= 100;
      all[2].ddr_read_gb_per_s /= 100;  // DDR is late
      all[2].ddr_write_gb_per_s /= 100;
      return all;
    }();
    return kSpeeds;
  }

  npu::EncodedCall encoded(const npu::ControlProgram& program) const {
    npu::EncodedCall call = call_;
    call.program = npu::encode(program);
    return call;
  }

  npu::EncodedCall call_;
  npu::ControlProgram program_;
  std::vector<Bytes> arguments_;
  std::vector<Bytes> right_;
};

// Indices of a program's operations of one type.
template <typename T>
std::vector<std::size_t> places_of(const npu::ControlProgram& program) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < program.operations.size(); ++i) {
    if (std::holds_alternative<T>(program.operations[i])) places.push_back(i);
  }
  return places;
}

}  // namespace wnpu::tests
