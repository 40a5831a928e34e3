// Speed of this machine, measured now: times of fixed work, by which other times are divided to be
// compared between machines, and peaks of kernels.
#pragma once

#include <cstddef>
#include <string>

namespace wnpu::bench {

// Each thread has its own data, so that twice the threads do twice the work; the time is until the
// last is done. Medians of several rounds after a warm-up.
struct Calibration {
  unsigned threads = 0;
  double gemm_s = 0;  // eight products of [256, 256] fp32 matrices a thread
  double copy_s = 0;  // copying copy_bytes a thread
};

struct Peaks {
  unsigned threads = 0;
  std::string instruction_set;  // "AVX2"
  double fma_gflops = 0;        // fp32 multiply-add on registers, all threads together
  double integer_gops = 0;      // int16 products added to int32 sums, the same way
  double byte_gops = 0;      // products of bytes, four a sum or AMX's; 0: no instruction for that
  double read_gb_per_s = 0;  // 10^9 bytes, from memory, all threads together
};

// Sizes of the work: the defaults are those of record, tests take less.
struct CalibrationSizes {
  std::size_t rounds = 7;
  std::size_t copy_bytes = std::size_t{64} << 20;  // beyond any cache
  std::size_t read_bytes = std::size_t{128} << 20;
  // Each peak is the best of many rounds, short enough to pass between two interruptions: a kernel
  // of microseconds does, and would else be measured above the peak.
  std::size_t peak_rounds = 300;
  std::size_t fma_rounds = 100'000;
};

Calibration calibrate(unsigned threads, const CalibrationSizes& sizes = {});
Peaks measure_peaks(unsigned threads, const CalibrationSizes& sizes = {});

// A time in units of the machine's own speed: `compute` of its work scales with the calibration
// GEMM, the rest with the copy. Without unit; what --check compares with its baseline.
double relative_time(double seconds, const Calibration& calibration, double compute);

}  // namespace wnpu::bench
