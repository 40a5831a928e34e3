// The modes of bench, a file each. To add one: its function in a file of its own, a row of modes()
// in bench_command.cpp.
#pragma once

#include <span>
#include <string>

#include "bench/core/bench_options.h"
#include "bench/core/results.h"

namespace wnpu::bench {

struct Mode {
  std::string option;      // "--rtf"
  std::string value_name;  // of the option's value; empty: it has none
  std::string help;
  // Progress goes to stderr, results come back. Throws what app::exit_code_of() knows.
  Results (*run)(const BenchOptions& options);
};

// The first is the one that runs where none is asked for.
std::span<const Mode> modes();

Results measure_rtf(const BenchOptions& options);       // rtf/rtf_mode.cpp
Results measure_advice(const BenchOptions& options);    // advise/advise_mode.cpp
Results measure_baseline(const BenchOptions& options);  // check.cpp
Results measure_check(const BenchOptions& options);     // check.cpp
Results measure_against(const BenchOptions& options);   // against.cpp
Results measure_plans(const BenchOptions& options);     // plans.cpp
Results measure_kernels(const BenchOptions& options);   // kernels.cpp
// The page of all figures, and the trace of one window, to the file that the mode's value names.
Results write_report(const BenchOptions& options);  // report.cpp
Results write_trace(const BenchOptions& options);   // report.cpp

}  // namespace wnpu::bench
