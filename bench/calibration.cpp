#include "bench/calibration.h"

#include <algorithm>
#include <barrier>
#include <chrono>
#include <functional>
#include <thread>
#include <vector>

#include "bench/calibration_kernels.h"
#include "bench/stats.h"

namespace wnpu::bench {
namespace {

constexpr std::size_t kGemmsARound = 8;

// Runs work(thread) on all threads at once, one warm-up and `rounds` timed ones; median seconds
// from the common start to the last thread's end.
double timed_on(unsigned threads, std::size_t rounds, const std::function<void(unsigned)>& work) {
  using Clock = std::chrono::steady_clock;
  std::barrier sync(static_cast<std::ptrdiff_t>(threads));
  std::vector<double> seconds;
  const auto run = [&](unsigned thread) {
    for (std::size_t round = 0; round <= rounds; ++round) {
      sync.arrive_and_wait();
      const auto start = Clock::now();
      work(thread);
      sync.arrive_and_wait();
      if (thread == 0 && round > 0) {
        seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
      }
    }
  };
  std::vector<std::jthread> others;
  for (unsigned thread = 1; thread < threads; ++thread) {
    others.emplace_back(run, thread);
  }
  run(0);
  others.clear();  // joins
  return median(seconds);
}

// One buffer a thread, each written by its own thread so that its pages lie near it.
std::vector<std::vector<float>> buffers(unsigned threads, std::size_t bytes) {
  std::vector<std::vector<float>> all(threads);
  std::vector<std::jthread> writers;
  for (auto& buffer : all) {
    writers.emplace_back([&buffer, bytes] { buffer.assign(bytes / sizeof(float), 0.25F); });
  }
  return all;
}

}  // namespace

Calibration calibrate(unsigned threads, const CalibrationSizes& sizes) {
  constexpr std::size_t kMatrixBytes = kernels::kGemmSize * kernels::kGemmSize * sizeof(float);
  Calibration result;
  result.threads = threads;
  {
    const auto a = buffers(threads, kMatrixBytes);
    const auto b = buffers(threads, kMatrixBytes);
    auto c = buffers(threads, kMatrixBytes);
    result.gemm_s = timed_on(threads, sizes.rounds, [&](unsigned thread) {
      for (std::size_t i = 0; i < kGemmsARound; ++i) {
        kernels::gemm(a[thread], b[thread], c[thread]);
      }
    });
  }
  const auto source = buffers(threads, sizes.copy_bytes);
  auto target = buffers(threads, sizes.copy_bytes);
  result.copy_s = timed_on(threads, sizes.rounds, [&](unsigned thread) {
    std::copy(source[thread].begin(), source[thread].end(), target[thread].begin());
  });
  return result;
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
  const double fma_s = timed_on(threads, sizes.rounds, [&](unsigned thread) {
    slots[thread].operations = kernels::multiply_add(sizes.fma_rounds, slots[thread].sink);
  });
  peaks.fma_gflops = 1e-9 * slots[0].operations * threads / fma_s;

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
