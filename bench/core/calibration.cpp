#include "bench/core/calibration.h"

#include <algorithm>
#include <barrier>
#include <chrono>
#include <functional>
#include <future>
#include <span>
#include <thread>
#include <vector>

#include "bench/core/calibration_kernels.h"
#include "bench/core/figure.h"
#include "models/kernels/vectors/instruction_set.h"

namespace wnpu::bench {
namespace {

constexpr std::size_t kGemmsARound = 8;
constexpr std::size_t kMatrixBytes = yardstick::kGemmSize * yardstick::kGemmSize * sizeof(float);

using Work = std::function<void(unsigned thread)>;

// Rounds of one thread, in step with the others. `seconds`: of each round, from the common start to
// the last thread's end.
void run_rounds(unsigned thread, std::span<double> seconds, const Work& work,
                std::barrier<>& in_step) {
  using Clock = std::chrono::steady_clock;
  for (double& round : seconds) {
    in_step.arrive_and_wait();
    const auto start = Clock::now();
    work(thread);
    in_step.arrive_and_wait();
    round = std::chrono::duration<double>(Clock::now() - start).count();
  }
}

// Seconds of each round in which all threads work at once.
std::vector<double> time_rounds(unsigned threads, std::size_t rounds, const Work& work) {
  std::barrier in_step(static_cast<std::ptrdiff_t>(threads));
  std::vector<std::vector<double>> seconds(threads, std::vector<double>(rounds + 1));
  std::vector<std::jthread> others(threads - 1);
  const auto start = [&](unsigned thread) {
    others[thread - 1] =
        std::jthread([&, thread] { run_rounds(thread, seconds[thread], work, in_step); });
  };
  unsigned started = 1;
  try {
    for (; started < threads; ++started) start(started);
  } catch (...) {  // those that run must not wait for those that do not
    for (unsigned missing = started - 1; missing < threads; ++missing) in_step.arrive_and_drop();
    throw;
  }
  run_rounds(0, seconds[0], work, in_step);
  seconds[0].erase(seconds[0].begin());  // the round that warms up
  return seconds[0];
}

double median_time(unsigned threads, std::size_t rounds, const Work& work) {
  return median(time_rounds(threads, rounds, work));
}

// Time of the least disturbed round, which shows what the machine can do.
double best_time(unsigned threads, std::size_t rounds, const Work& work) {
  return std::ranges::min(time_rounds(threads, rounds, work));
}

// One buffer a thread, each written by its own thread so that its pages lie near it.
std::vector<std::vector<float>> buffers(unsigned threads, std::size_t bytes) {
  std::vector<std::vector<float>> all(threads);
  std::vector<std::future<void>> writers(threads);
  for (unsigned i = 0; i < threads; ++i) {
    writers[i] = std::async(std::launch::async,
                            [&all, i, bytes] { all[i].assign(bytes / sizeof(float), 0.25F); });
  }
  for (auto& writer : writers) writer.get();
  return all;
}

void multiply_repeatedly(std::span<const float> a, std::span<const float> b, std::span<float> c) {
  for (std::size_t i = 0; i < kGemmsARound; ++i) {
    yardstick::gemm(a, b, c);
  }
}

double calibration_gemm(unsigned threads, const CalibrationSizes& sizes) {
  const auto a = buffers(threads, kMatrixBytes);
  const auto b = buffers(threads, kMatrixBytes);
  auto c = buffers(threads, kMatrixBytes);
  return median_time(threads, sizes.rounds, [&](unsigned thread) {
    multiply_repeatedly(a[thread], b[thread], c[thread]);
  });
}

double calibration_copy(unsigned threads, const CalibrationSizes& sizes) {
  const auto source = buffers(threads, sizes.copy_bytes);
  auto target = buffers(threads, sizes.copy_bytes);
  return median_time(threads, sizes.rounds, [&](unsigned thread) {
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
  peaks.instruction_set = kernels::instruction_set_name();
  // One cache line a thread, so that threads do not share what they write.
  struct alignas(64) Slot {
    float sink = 0.5F;
    double operations = 0;
  };
  std::vector<Slot> slots(threads);
  const auto peak_of = [&](double (*work)(std::size_t, float&)) {
    const double seconds = best_time(threads, sizes.peak_rounds, [&](unsigned thread) {
      slots[thread].operations = work(sizes.fma_rounds, slots[thread].sink);
    });
    return 1e-9 * slots[0].operations * threads / seconds;
  };
  peaks.fma_gflops = peak_of(&yardstick::multiply_add);
  peaks.integer_gops = peak_of(&yardstick::integer_multiply_add);
  peaks.byte_gops = peak_of(&yardstick::byte_multiply_add);

  const auto memory = buffers(threads, sizes.read_bytes);
  const double read_s = best_time(threads, sizes.rounds, [&](unsigned thread) {
    slots[thread].sink = yardstick::sum(memory[thread]);
  });
  peaks.read_gb_per_s = 1e-9 * static_cast<double>(sizes.read_bytes) * threads / read_s;
  return peaks;
}

double relative_time(double seconds, const Calibration& calibration, double compute) {
  return seconds / (compute * calibration.gemm_s + (1 - compute) * calibration.copy_s);
}

}  // namespace wnpu::bench
