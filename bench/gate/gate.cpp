#include "bench/gate/gate.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <string_view>

#include "app/options/exit_code.h"

namespace wnpu::bench {
namespace {

using app::UsageError;

// Options that say where something ran or how it was named, and change no work. (Who multiplies is
// in `kernels`, but in `gemm` too.)
constexpr std::array<std::string_view, 2> kHarmless = {"device_requested", "kernels"};

double relative(const GateTime& time, const GateRun& run) {
  return relative_time(time.seconds, run.calibration, time.compute);
}

void refuse(const Baseline& baseline, const std::string& what, const std::string& expected,
            const std::string& found) {
  throw UsageError(baseline.path + ": a baseline of " + what + " " + expected +
                   " cannot be compared with " + found +
                   ": make one with bench --baseline --json and these options");
}

}  // namespace

void GateRun::merge(const GateRun& other) {
  assert(times.size() == other.times.size());
  for (std::size_t i = 0; i < times.size(); ++i) {
    times[i].seconds = std::min(times[i].seconds, other.times[i].seconds);
  }
  calibration.gemm_s = std::min(calibration.gemm_s, other.calibration.gemm_s);
  calibration.copy_s = std::min(calibration.copy_s, other.calibration.copy_s);
}

void check_comparable(const Baseline& baseline, const Results& now, const std::string& build_type) {
  if (baseline.instruction_set != now.instruction_set) {
    refuse(baseline, "instruction set", baseline.instruction_set, now.instruction_set);
  }
  if (baseline.build_type != build_type) {
    refuse(baseline, "build type", baseline.build_type, build_type);
  }
  for (const auto& [name, value] : now.options) {
    if (std::ranges::find(kHarmless, name) != kHarmless.end()) continue;
    const auto found = baseline.options.find(name);
    const std::string expected = found == baseline.options.end() ? "(none)" : found->second;
    if (expected != value) refuse(baseline, name, expected, value);
  }
  for (const auto& [name, value] : baseline.options) {
    const auto is_same = [&name = name](const auto& option) { return option.first == name; };
    if (std::ranges::any_of(now.options, is_same)) continue;
    if (std::ranges::find(kHarmless, name) != kHarmless.end()) continue;
    refuse(baseline, name, value, "(none)");
  }
}

std::vector<Figure> gate_figures(const GateRun& run) {
  std::vector<Figure> figures = {figure_of_value("calibration: gemm", "s", run.calibration.gemm_s),
                                 figure_of_value("calibration: copy", "s", run.calibration.copy_s)};
  for (const GateTime& time : run.times) {
    figures.push_back(figure_of_value(time.name, std::string(kCalibrations), relative(time, run)));
  }
  return figures;
}

std::vector<Comparison> compare(const Baseline& baseline, const GateRun& run) {
  std::vector<Comparison> comparisons;
  std::vector<double> kernel_ratios;
  for (const GateTime& time : run.times) {
    const auto found = baseline.relative_times.find(time.name);
    if (found == baseline.relative_times.end() || !(found->second > 0)) {
      throw UsageError(baseline.path + ": expected a time of " + time.name +
                       ", found none: it is of another version of whisper-npu");
    }
    comparisons.push_back({time.name, found->second, relative(time, run), time.margin});
    if (time.is_kernel()) kernel_ratios.push_back(comparisons.back().ratio());
  }
  const double common = kernel_ratios.empty() ? 1 : std::min(1.0, median(kernel_ratios));
  for (std::size_t i = 0; i < comparisons.size(); ++i) {
    if (run.times[i].is_kernel()) comparisons[i].common = common;
  }
  return comparisons;
}

}  // namespace wnpu::bench
