// Work that --check times: the product's kernels one by one, at the widths of Whisper tiny, since a
// kernel that got slower may hide in the time of a whole file; and a window of the model in use.
// All of it on one thread, in pieces of a few milliseconds where that is possible, which find their
// undisturbed moment on a busy machine.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace wnpu::bench {

struct GateWork {
  std::string name;    // "kernel: softmax"
  double compute = 1;  // how much of its time scales with arithmetic, not memory (relative_time)
  std::function<void()> run;
  std::function<void()> prepare = [] {};  // before each run, outside of its time
};

// `rows` of the encoder's matrices; tests take fewer than the default, which is of record.
std::vector<GateWork> gate_kernels(std::size_t rows = 256);
// The calibration's work (calibration_kernels.h): a product, and a copy beyond any cache.
std::vector<GateWork> gate_calibration();

// User and system time of the process so far, in seconds, with the resolution of the scheduler's
// clock: others that have the CPU meanwhile do not count.
double cpu_clock_s();

}  // namespace wnpu::bench
