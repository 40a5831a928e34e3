// --advise: what to take on this machine. Candidates are measured, each in a process of its own,
// whose peak of memory is the candidate's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bench/core/bench_options.h"
#include "bench/core/figure.h"

namespace wnpu::bench {

struct Candidate {
  std::string precision;
  std::size_t beams = 5;
  std::size_t batch = 1;
  unsigned threads = 0;

  bool operator==(const Candidate&) const = default;
};

struct Tried {
  Candidate candidate;
  double audio_s = 0;
  std::vector<double> seconds;     // a run, of all files
  std::vector<std::string> texts;  // a file
  std::uint64_t peak_bytes = 0;
  double error_rate = 0;               // of words, against references or the first candidate's text
  std::vector<double> durations = {};  // seconds of audio a file

  double speed() const { return audio_s / summarize(seconds).median; }
};

// The first is fp32 with five beams, all threads and no batches. Batches are left out where there
// is no detector of speech or clips are given, other precisions than fp32 with --gemm blas.
std::vector<Candidate> candidates_of(const BenchOptions& options, unsigned threads);

// Index of the settings to advise: of those that get at most kWorse more words wrong than the one
// that gets the fewest, the fastest; where several are as fast within kAsFast, the one that takes
// the least memory, then the fewest threads. tried is not empty.
inline constexpr double kWorse = 0.01;
inline constexpr double kAsFast = 0.03;
std::size_t advised(std::span<const Tried> tried);

// As the command line has it: {"--precision", "int8"}, ...
std::vector<std::pair<std::string, std::string>> options_of(const Candidate& candidate);

}  // namespace wnpu::bench
