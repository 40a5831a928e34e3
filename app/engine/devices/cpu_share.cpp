#include "app/engine/devices/cpu_share.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "app/engine/devices/device_names.h"

namespace wnpu::app {
namespace {

// Multiply-adds of a window: two convolutions of three frames, then the layers.
double multiply_adds(const models::Dims& dims) {
  const auto frames = static_cast<double>(dims.n_audio_ctx);
  const auto width = static_cast<double>(dims.n_audio_state);
  const double stem =
      2 * frames * 3 * static_cast<double>(dims.n_mels) * width + frames * 3 * width * width;
  const double layer = 12 * frames * width * width + 2 * frames * frames * width;
  return stem + static_cast<double>(dims.n_audio_layer) * layer;
}

// Multiply-adds a millisecond, two threads. bench/results: tiny.en, 18.5e9 multiply-adds a window;
// int8 60.1 ms a window (2026-11-23, EPYC Zen 4); fp32 318 ms (2026-11-22, EPYC Zen 3).
// int16 has no record of its encoder: taken as fp32's, which is a bound from above of its time. [A]
double rate(models::Precision precision) {
  return precision == models::Precision::int8 ? 18.5e9 / 60.1 : 18.5e9 / 318;
}

}  // namespace

CpuShare cpu_share_of(const DeviceOptions& options) {
  return {parse_devices(options.requested).with_cpu, options.cpu_window_ms, options.npu_window_ms,
          options.falls_back};
}

void fill_times(const LoadedModel& model, const EncoderSet& devices, CpuShare& share) {
  if (share.cpu_window_ms == 0) {
    share.cpu_window_ms = modelled_cpu_window_ms(model.dims(), model.precision());
  }
  if (share.npu_window_ms > 0) return;
  try {
    share.npu_window_ms = devices.window_ms();
  } catch (const std::invalid_argument& error) {
    throw Error("device.npu_window_ms", std::string(": expected what a window takes a device, for "
                                                    "no time model says: ") +
                                            error.what());
  }
}

WindowQueues plan_windows(std::span<const std::size_t> windows, std::span<const double> window_ms) {
  WindowQueues plan(window_ms.size());
  for (const std::size_t window : windows) {
    std::size_t best = 0;
    const auto ends_at = [&](std::size_t encoder) {
      return static_cast<double>(plan[encoder].size() + 1) * window_ms[encoder];
    };
    for (std::size_t i = 1; i < plan.size(); ++i) {
      if (ends_at(i) < ends_at(best)) best = i;
    }
    plan[best].push_back(window);
  }
  return plan;
}

double modelled_cpu_window_ms(const models::Dims& dims, models::Precision precision) {
  return multiply_adds(dims) / rate(precision);
}

ThreadShares thread_shares(std::size_t n_threads, std::size_t n_devices, bool with_cpu) {
  const std::size_t n_encoders = std::max<std::size_t>(1, n_devices + (with_cpu ? 1 : 0));
  const std::size_t share = std::max<std::size_t>(1, n_threads / n_encoders);
  if (!with_cpu || n_threads <= share) return {share, n_threads};
  return {share, n_threads - share};
}

}  // namespace wnpu::app
