#include "bench/calibration.h"

#include <algorithm>
#include <barrier>
#include <chrono>
#include <functional>
#include <span>
#include <thread>
#include <vector>

#include "bench/calibration_kernels.h"
#include "bench/stats.h"

namespace wnpu::bench {
namespace {

constexpr std::size_t kGemmsARound = 8;
constexpr std::size_t kMatrixBytes = kernels::kGemmSize * kernels::kGemmSize * sizeof(float);

using Work = std::function<void(unsigned thread)>;

// What one thread does: all rounds in step with the others. Seconds of each round but the first,
// which warms up, from the common start to the last thread's end.
std::vector<double> run_rounds(unsigned thread, std::size_t rounds, const Work& work,
                               std::barrier<>& in_step) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> seconds(rounds + 1);
  for (double& round : seconds) {
    in_step.arrive_and_wait();
    const auto start = Clock::now();
    work(thread);
    in_step.arrive_and_wait();
    round = std::chrono::duration<double>(Clock::now() - start).count();
  }
  seconds.erase(seconds.begin());
  return seconds;
}

// Median seconds of a round in which all threads work at once.
double timed_on(unsigned threads, std::size_t rounds, const Work& work) {
  std::barrier in_step(static_cast<std::ptrdiff_t>(threads));
  std::vector<std::jthread> others(threads - 1);
  for (unsigned i = 0; i + 1 < threads; ++i) {
    others[i] = std::jthread([&, i] { run_rounds(i + 1, rounds, work, in_step); });
  }
  return median(run_rounds(0, rounds, work, in_step));
}

// One buffer a thread, each written by its own thread so that its pages lie near it.
std::vector<std::vector<float>> buffers(unsigned threads, std::size_t bytes) {
  std::vector<std::vector<float>> all(threads);
  std::vector<std::jthread> writers(threads);
  for (unsigned i = 0; i < threads; ++i) {
    writers[i] = std::jthread([&all, i, bytes] { all[i].assign(bytes / sizeof(float), 0.25F); });
  }
  writers.clear();  // joins
  return all;
}

void multiply_repeatedly(std::span<const float> a, std::span<const float> b, std::span<float> c) {
  for (std::size_t i = 0; i < kGemmsARound; ++i) {
    kernels::gemm(a, b, c);
  }
}

double calibration_gemm(unsigned threads, const CalibrationSizes& sizes) {
  const auto a = buffers(threads, kMatrixBytes);
  const auto b = buffers(threads, kMatrixBytes);
  auto c = buffers(threads, kMatrixBytes);
  return timed_on(threads, sizes.rounds,
                  [&](unsigned thread) { multiply_repeatedly(a[thread], b[thread], c[thread]); });
}

double calibration_copy(unsigned threads, const CalibrationSizes& sizes) {
  const auto source = buffers(threads, sizes.copy_bytes);
  auto target = buffers(threads, sizes.copy_bytes);
  return timed_on(threads, sizes.rounds, [&](unsigned thread) {
    std::copy(source[thread].begin(), source[thread].end(), target[thread].begin());
  });
}

}  // namespace

Calibration calibrate(unsigned threads, const CalibrationSizes& sizes) {
  return {threads, calibration_gemm(threads, sizes), calibration_copy(threads, sizes)};
}

Peaks measure_peaks(unsigned threads, const CalibrationSizes& sizes) {
  Peaks peaks;
  peaks.threads = threads;
  peaks.instruction_set = kernels::target();
  // One cache line a thread, so that threads do not share what they write.
  struct alignas(64) Slot {
    float sink = 0.5F;
    double operations = 0;
  };
  std::vector<Slot> slots(threads);
  const auto peak_of = [&](double (*work)(std::size_t, float&)) {
    const double seconds = timed_on(threads, sizes.rounds, [&](unsigned thread) {
      slots[thread].operations = work(sizes.fma_rounds, slots[thread].sink);
    });
    return 1e-9 * slots[0].operations * threads / seconds;
  };
  peaks.fma_gflops = peak_of(&kernels::multiply_add);
  peaks.integer_gops = peak_of(&kernels::integer_multiply_add);
  peaks.byte_gops = peak_of(&kernels::byte_multiply_add);

  const auto memory = buffers(threads, sizes.read_bytes);
  const double read_s = timed_on(threads, sizes.rounds, [&](unsigned thread) {
    slots[thread].sink = kernels::sum(memory[thread]);
  });
  peaks.read_gb_per_s = 1e-9 * static_cast<double>(sizes.read_bytes) * threads / read_s;
  return peaks;
}

double relative_time(double seconds, const Calibration& calibration, double compute) {
  return seconds / (compute * calibration.gemm_s + (1 - compute) * calibration.copy_s);
}

}  // namespace wnpu::bench
