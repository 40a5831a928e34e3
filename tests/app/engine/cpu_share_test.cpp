// Windows dealt out by a plan over devices and the CPU: as soon done as can be, each once.
#include "app/engine/devices/cpu_share.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include <doctest/doctest.h>

using namespace wnpu;  // NOLINT

namespace {

// Best makespan over all ways to deal out the windows, by trying every one.
double best_makespan(std::size_t n_windows, const std::vector<double>& window_ms,
                     std::size_t first = 0) {
  if (first + 1 == window_ms.size()) return static_cast<double>(n_windows) * window_ms[first];
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t mine = 0; mine <= n_windows; ++mine) {
    const double own = static_cast<double>(mine) * window_ms[first];
    best = std::min(best, std::max(own, best_makespan(n_windows - mine, window_ms, first + 1)));
  }
  return best;
}

double makespan(const app::WindowQueues& plan, const std::vector<double>& window_ms) {
  double last = 0;
  for (std::size_t device = 0; device < plan.size(); ++device) {
    last = std::max(last, static_cast<double>(plan[device].size()) * window_ms[device]);
  }
  return last;
}

}  // namespace

TEST_CASE("cpu share: a CPU and up to four NPUs do 12 windows as soon as any schedule does") {
  std::mt19937 random(17);
  std::uniform_real_distribution<double> npu_ms(50, 200);
  std::uniform_real_distribution<double> cpu_ms(50, 2000);
  for (int i = 0; i < 2000; ++i) {
    std::vector<double> window_ms{cpu_ms(random)};
    for (std::size_t n = 1 + random() % 4; n > 0; --n) window_ms.push_back(npu_ms(random));
    std::vector<std::size_t> windows(random() % 13);
    std::iota(windows.begin(), windows.end(), 100);
    const auto plan = app::plan_windows(windows, window_ms);
    CHECK(makespan(plan, window_ms) <= best_makespan(windows.size(), window_ms) * (1 + 1e-9));
    std::vector<std::size_t> dealt;
    for (const auto& device : plan) {
      CHECK(std::ranges::is_sorted(device));
      dealt.insert(dealt.end(), device.begin(), device.end());
    }
    std::ranges::sort(dealt);
    CHECK(dealt == windows);
    CHECK(app::plan_windows(windows, window_ms) == plan);
  }
}

TEST_CASE("cpu share: threads are shared out, at least one each, the CPU's from the decoder's") {
  for (std::size_t n_threads = 1; n_threads <= 16; ++n_threads) {
    for (std::size_t n_devices = 1; n_devices <= 4; ++n_devices) {
      const auto beside = app::thread_shares(n_threads, n_devices, true);
      CHECK(beside.encoder >= 1);
      CHECK(beside.decoder >= 1);
      if (n_threads > 1) CHECK(beside.encoder + beside.decoder == n_threads);
      const auto alone = app::thread_shares(n_threads, n_devices, false);
      CHECK(alone.decoder == n_threads);
      CHECK(alone.encoder == std::max<std::size_t>(1, n_threads / n_devices));
    }
  }
}

TEST_CASE("cpu share: the CPU's modelled time grows with the model, and is the record's for tiny") {
  models::Dims tiny;
  tiny.n_mels = 80;
  tiny.n_audio_ctx = 1500;
  tiny.n_audio_state = 384;
  tiny.n_audio_head = 6;
  tiny.n_audio_layer = 4;
  CHECK(app::modelled_cpu_window_ms(tiny, models::Precision::int8) ==
        doctest::Approx(60.1).epsilon(0.01));
  CHECK(app::modelled_cpu_window_ms(tiny, models::Precision::fp32) ==
        doctest::Approx(318).epsilon(0.01));
  models::Dims base = tiny;
  base.n_audio_state = 512;
  base.n_audio_head = 8;
  base.n_audio_layer = 6;
  CHECK(app::modelled_cpu_window_ms(base, models::Precision::int8) >
        2 * app::modelled_cpu_window_ms(tiny, models::Precision::int8));
}
