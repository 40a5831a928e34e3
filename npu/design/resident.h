// The program that every core runs, whatever the call: read a phase header, then take elements from
// the ports, run tile kernels, pass results on, until the phase ends. Written as the list of steps
// that a header unfolds to, so that check(), the time model and the execution walk the same thing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "npu/design/design.h"

namespace wnpu::npu {

// Work between taking and releasing. Buffers: the element at the head of a port, and the core's own
// accumulators, parameters and attention state (core_layout below).
enum class Task {
  load_parameters,   // B -> bias and column scales; clears the accumulators
  load_row_scales,   // A -> row scales
  multiply,          // accumulators += A x B
  finish_bias,       // C = accumulators + bias
  finish_gelu,       // C = gelu(accumulators + bias)
  finish_residual,   // C = A + accumulators + bias
  norm_rows,         // C = layer norm of A's rows
  norm_quantise,     // C = the same as int8; row scales kept
  store_row_scales,  // C = row scales
  gelu_rows,         // C = gelu(A), elements as they come
  load_queries,      // C = A (queries wait in C's buffer); clears the attention state
  attend,            // attention state and accumulators take in the keys and values of B
  finish_attention,  // C = accumulators / sums
};

struct Step {
  enum class Kind { take, release, compute };
  Kind kind = Kind::take;
  Port port = Port::a;
  Task task = Task::multiply;
  std::uint32_t index = 0;  // which inner step
  std::uint32_t bytes = 0;  // take a, b: those that mean something; release c: of the result
};

// What core column `column` of `columns` does in a phase; all rows do the same.
std::vector<Step> phase_steps(const PhaseHeader& phase, int column, int columns);

// Cycles of one task.
double task_cycles(const PhaseHeader& phase, Task task, const KernelTable& kernels);

// core/core_memory.h as a table for the Design.
CoreLayout core_layout();

// Where the heads of the ports are while a task runs: element slots within a core's memory.
struct Slots {
  std::size_t a = 0;
  std::size_t b = 0;
  std::size_t c = 0;
};

// Runs one task's tile kernels on a core's data memory.
void run_task(const PhaseHeader& phase, const Step& step, std::span<std::byte> memory, Slots slots);

}  // namespace wnpu::npu
