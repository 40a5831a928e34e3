// Each kernel alone: on this CPU, measured, and on the simulated array, modelled; with its share of
// what the machine's or the array's arithmetic could do.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "bench/core/calibration.h"
#include "bench/core/figure.h"
#include "models/base/dims.h"
#include "models/base/thread_pool.h"
#include "npu/design/target.h"

namespace wnpu::bench {

struct KernelRow {
  std::string name;   // "softmax"
  std::string shape;  // "1500", "[1500, 512] x [512, 2048]"
  Origin origin = Origin::kMeasured;
  unsigned threads = 0;         // CPU; 0: the array
  double seconds = 0;           // of one call, launch not included; of several runs the median
  std::optional<Summary> runs;  // CPU
  double launch_s = 0;          // array
  double operations = 0;
  double peak_gflops = 0;
  std::optional<double> published_ms;  // the same kernel on Phoenix, November 2025, with launch
  bool is_layer_shape = false;         // one of the encoder layer's own

  double gflops() const { return 1e-9 * operations / seconds; }
  double share_of_peak() const { return gflops() / peak_gflops; }
};

// Operations of kernels; those of elementwise ones are counted as they are written: exp, erf and
// sqrt are one each.
double norm_operations(std::size_t rows, std::size_t width);
double softmax_operations(std::size_t values);
double gelu_operations(std::size_t values);
double matmul_operations(std::size_t m, std::size_t k, std::size_t n);  // [m, k] x [k, n]
// softmax(q k^T) v for all heads over `frames` positions, `queries` of them asking.
double attention_operations(std::size_t queries, std::size_t frames, std::size_t width,
                            std::size_t heads);

// Peaks of as many threads as the kernels use: one, and all of the pool.
struct MachinePeaks {
  Peaks one;
  Peaks all;
};
MachinePeaks measure_machine_peaks(unsigned threads, const CalibrationSizes& sizes = {});

// Single kernels on one thread, the layer's on all of the pool.
std::vector<KernelRow> cpu_kernels(const models::Dims& dims, models::ThreadPool& pool,
                                   const MachinePeaks& peaks, const TimingEffort& effort = {});
// Rows of these kernels on the array of the preset, bf16. The overlay has no softmax by itself: a
// row's whole attention stands in its place, and 64x64 products come 16 or 32 at a time, one a
// core.
std::vector<KernelRow> array_kernels(const models::Dims& dims, const npu::HardwareModel& preset);

// Peak of all cores together in bf16, 10^9 operations a second.
double array_peak_gflops(const npu::HardwareModel& preset);

}  // namespace wnpu::bench
