// The modes of bench, a file each. To add one: its function in a file of its own, a row in
// modes.cpp.
#pragma once

#include <span>
#include <string>

#include "bench/bench_options.h"
#include "bench/results.h"

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

Results measure_rtf(const BenchOptions& options);       // rtf.cpp
Results measure_baseline(const BenchOptions& options);  // check.cpp
Results measure_check(const BenchOptions& options);     // check.cpp
Results measure_against(const BenchOptions& options);   // against.cpp

}  // namespace wnpu::bench
