// --baseline and --check: the gate's times, measured, and beside those of a baseline.
#include <algorithm>
#include <iostream>
#include <limits>
#include <span>

#include "app/options/exit_code.h"
#include "app/system/build_info.h"
#include "app/system/progress.h"
#include "bench/core/modes.h"
#include "bench/core/results.h"
#include "bench/core/text_table.h"
#include "bench/gate/gate.h"
#include "bench/gate/gate_work.h"
#include "bench/rtf/rtf.h"

namespace wnpu::bench {
namespace {

// Rounds of all kernels, with the calibration in between: a few seconds, long enough that even on
// a busy machine each has its undisturbed moment.
constexpr std::size_t kKernelRounds = 120;
// Measurements, at most, while a time seems slower: what is slower stays slower.
constexpr int kAttempts = 3;
// Share of the stages' time that scales with arithmetic; the rest waits for memory.
constexpr double kStageCompute = 0.7;

constexpr double kNever = std::numeric_limits<double>::infinity();

// Runs each once, and keeps the shortest CPU time of each.
void time_once(const std::vector<GateWork>& work, std::span<double> shortest) {
  for (std::size_t i = 0; i < work.size(); ++i) {
    work[i].prepare();
    const double start = cpu_clock_s();
    work[i].run();
    shortest[i] = std::min(shortest[i], cpu_clock_s() - start);
  }
}

// One thread: threads that wait for each other burn CPU time that depends on who else is there.
BenchOptions on_one_thread(BenchOptions options) {
  if (options.work.threads > 1) {
    throw app::UsageError("--check and --baseline run on one thread; leave --threads out");
  }
  options.work.threads = 1;
  return options;
}

// The model and the kernels, ready to be timed as often as needed.
class Gate {
 public:
  explicit Gate(const BenchOptions& options)
      : options_(on_one_thread(options)),
        files_(files_to_measure(options_, References({}))),
        program_(options_.work),
        calibration_(gate_calibration()),
        kernels_(gate_kernels()) {
    stages_.push_back({"stage: file to text", kStageCompute, [this] { run_files(); }});
    run_files();  // warms up
  }

  GateRun measure() {
    std::vector<double> calibration(calibration_.size(), kNever);
    std::vector<double> kernels(kernels_.size(), kNever);
    std::vector<double> stages(stages_.size(), kNever);
    for (std::size_t round = 0; round < kKernelRounds; ++round) {
      time_once(calibration_, calibration);
      time_once(kernels_, kernels);
      time_once(calibration_, calibration);
    }
    for (std::size_t round = 0; round < options_.runs; ++round) {
      time_once(stages_, stages);
      for (int i = 0; i < 3; ++i) time_once(calibration_, calibration);
    }
    GateRun run;
    run.calibration = {1, calibration[0], calibration[1]};
    add_times(kernels_, kernels, kKernelMargin, run);
    add_times(stages_, stages, kStageMargin, run);
    return run;
  }

  // All but figures and text.
  Results describe(const std::string& mode) const {
    Results results = results_of_mode(mode);
    results.options = option_list(options_, files_, last_);
    return results;
  }

 private:
  void run_files() {
    for (const std::string& file : files_) last_ = program_.run(file).transcript;
  }

  static void add_times(const std::vector<GateWork>& work, std::span<const double> seconds,
                        double margin, GateRun& run) {
    for (std::size_t i = 0; i < work.size(); ++i) {
      run.times.push_back({work[i].name, work[i].compute, seconds[i], margin});
    }
  }

  BenchOptions options_;
  std::vector<std::string> files_;
  TranscribeRuns program_;
  std::vector<GateWork> calibration_;
  std::vector<GateWork> kernels_;
  std::vector<GateWork> stages_;
  Transcript last_;
};

std::string comparison_table(const std::vector<Comparison>& comparisons) {
  TextTable table({"relative time of", "baseline", "now", "ratio", "allowed", ""});
  for (const Comparison& one : comparisons) {
    table.add({one.name, fixed(one.baseline, 3), fixed(one.now, 3), fixed(one.ratio(), 3),
               fixed(1 + one.margin, 2), one.is_slower() ? "SLOWER" : "ok"});
  }
  return table.text();
}

bool any_slower(const std::vector<Comparison>& comparisons) {
  return std::ranges::any_of(comparisons, &Comparison::is_slower);
}

}  // namespace

Results measure_baseline(const BenchOptions& options) {
  app::Messages messages(std::cerr, options.work.verbosity, false);
  Gate gate(options);
  Results results = gate.describe("baseline");
  GateRun run = gate.measure();
  for (int attempt = 1; attempt < kAttempts; ++attempt) {
    messages.note("measured " + std::to_string(attempt) + " of " + std::to_string(kAttempts) +
                  " times");
    run.merge(gate.measure());
  }
  results.figures = gate_figures(run);
  TextTable table({"CPU time of", "value", "unit"});
  for (const Figure& figure : results.figures) {
    const bool is_time = figure.unit == "s";
    table.add({figure.name, is_time ? human_seconds(figure.value) : fixed(figure.value, 3),
               is_time ? "" : figure.unit});
  }
  results.text = table.text();
  return results;
}

Results measure_check(const BenchOptions& options) {
  app::Messages messages(std::cerr, options.work.verbosity, false);
  const Baseline baseline = read_baseline(options.mode_value);
  Gate gate(options);
  Results results = gate.describe("check");
  check_comparable(baseline, results, app::kBuildType);
  GateRun run = gate.measure();
  std::vector<Comparison> comparisons = compare(baseline, run);
  for (int attempt = 1; attempt < kAttempts && any_slower(comparisons); ++attempt) {
    messages.note("something seems slower: measuring again");
    run.merge(gate.measure());
    comparisons = compare(baseline, run);
  }
  results.figures = gate_figures(run);
  for (const Comparison& one : comparisons) {
    results.figures.push_back(figure_of_value(one.name + ", of the baseline's", "", one.ratio(),
                                              {{"slower", one.is_slower() ? "true" : "false"}}));
  }
  results.text = comparison_table(comparisons);
  if (any_slower(comparisons)) {
    results.exit_code = static_cast<int>(app::ExitCode::some_failed);
    results.notes.push_back("slower than the baseline allows");
  }
  return results;
}

}  // namespace wnpu::bench
