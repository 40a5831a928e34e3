// --check: whether anything has become slower than a baseline says. What is compared is CPU time on
// one thread divided by the CPU time of fixed work in the same run, so that a faster or slower
// machine with the same instruction set does not matter; and of many interleaved runs the shortest,
// which others on the machine disturb least.
#pragma once

#include <string>
#include <vector>

#include "bench/core/figure.h"
#include "bench/core/results.h"
#include "bench/gate/baseline.h"

namespace wnpu::bench {

// A kernel may take this much longer than in the baseline, relative to the calibration work.
inline constexpr double kKernelMargin = 0.10;
// Stages are longer than undisturbed moments of a busy machine, and share its memory with others.
inline constexpr double kStageMargin = 0.25;

// Shortest times so far.
struct GateTime {
  std::string name;
  double compute = 1;  // see relative_time
  double seconds = 0;
  double margin = kKernelMargin;

  bool is_kernel() const { return name.starts_with("kernel: "); }
};

// Times of one run of the gate, to be merged with others.
struct GateRun {
  std::vector<GateTime> times;
  Calibration calibration;  // of gate_calibration()

  // The shorter of both, time by time; `other` has the same times.
  void merge(const GateRun& other);
};

// Throws UsageError where the baseline was made with other options, instruction set or kind of
// build: such times cannot be compared.
void check_comparable(const Baseline& baseline, const Results& now, const std::string& build_type);

// One time beside the baseline's.
struct Comparison {
  std::string name;
  double baseline = 0;
  double now = 0;
  double margin = 0;
  // Ratio common to all kernels, the median of theirs, at most 1: a calibration that was disturbed
  // makes all of them look faster, and one that is slower must not hide behind it.
  double common = 1;

  double ratio() const { return now / baseline / common; }
  bool is_slower() const { return ratio() > 1 + margin; }
};

// The calibration's own times, then relative times, whose unit is "calibrations".
std::vector<Figure> gate_figures(const GateRun& run);
// Throws UsageError where the baseline lacks one of them.
std::vector<Comparison> compare(const Baseline& baseline, const GateRun& run);

}  // namespace wnpu::bench
