// Results of a mode of bench: printed for people, and written as JSON (bench.schema.json), which
// report.html draws.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/system/machine.h"
#include "bench/core/calibration.h"
#include "bench/core/figure.h"
#include "bench/core/meters.h"

namespace wnpu::bench {

// How much others disturbed a measurement.
struct NoiseVerdict {
  double spread = 1;     // largest p90 / p10
  double other_cpu = 0;  // shares of all CPUs' time
  double steal = 0;
  std::string reason;  // why the machine was noisy; empty: it was quiet
};

// Others' shares of all CPUs' time above which times are not to be relied on.
inline constexpr double kQuietOtherCpu = 0.03;
inline constexpr double kQuietSteal = 0.01;

// `spread` is the largest p90 / p10 of the figures that count.
NoiseVerdict judge_noise(double spread, const NoiseMeter::Noise& others);

// "quiet" or "NOISY: ...", with the figures.
std::string noise_line(const NoiseVerdict& verdict);

// Transcript of a file by one program, and its error rates.
struct Heard {
  std::string program;  // "whisper-npu", "faster-whisper"
  std::string file;
  double audio_s = 0;
  std::string text;
  std::optional<double> wer;  // where there is reference text
  std::optional<double> cer;
};

struct Results {
  std::string mode;  // "rtf"
  // Options that the figures depend on, in the order of printing: {"model", "tiny.en"}. Results are
  // compared only where these are equal.
  std::vector<std::pair<std::string, std::string>> options;
  std::vector<Figure> figures;
  std::vector<Heard> heard;
  std::optional<NoiseVerdict> noise;
  std::optional<Calibration> calibration;
  std::string instruction_set;     // that kernels chose: "AVX2"
  std::vector<std::string> notes;  // what a reader must know
  // Options that --advise recommends, as the command line has them.
  std::vector<std::pair<std::string, std::string>> advice;
  std::string text;  // tables for people
  int exit_code = 0;
};

// Results without figures, with the instruction set that kernels chose here.
Results results_of_mode(const std::string& mode);

// Machine, commit, options and noise, then the tables, then the notes.
std::string results_text(const Results& results, const app::Machine& machine);
// With machine, commit and date; indented, with a newline at the end.
std::string results_json(const Results& results, const app::Machine& machine);

}  // namespace wnpu::bench
