// Windows over several devices, by a clock of the test's own: as soon done as can be, each once.
#include "app/engine/devices/window_queue.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <random>
#include <vector>

#include <doctest/doctest.h>

using wnpu::app::WindowQueue;

namespace {

// A device: what a window takes it, and when it fails.
struct Device {
  double window_s = 1;
  double fails_at_s = std::numeric_limits<double>::infinity();
};

struct Outcome {
  double makespan_s = 0;
  std::vector<std::size_t> times_done;  // of each window
};

// Lanes as WindowEncoder has them: one that gets nothing comes back when all have stopped.
class Clock {
 public:
  Clock(std::size_t n_windows, const std::vector<Device>& devices, const std::vector<double>& known)
      : devices_(devices), queue_(n_windows, known), at_work_(devices.size()) {
    outcome_.times_done.resize(n_windows);
  }

  Outcome run() {
    is_away_.assign(devices_.size(), false);
    is_dropped_ = is_away_;
    while (true) {
      for (std::size_t lane = 0; lane < devices_.size(); ++lane) ask(lane);
      const auto next = next_event();
      if (next) {
        end(*next);
      } else if (queue_.is_done() || std::ranges::count(is_dropped_, false) == 0) {
        return outcome_;
      } else {
        REQUIRE(++n_rounds_ < 100);  // else nothing ever happens
        is_away_.assign(devices_.size(), false);
      }
    }
  }

 private:
  struct Work {
    std::size_t window;
    double until_s;
  };

  // A failure shows when there is work to do.
  void ask(std::size_t lane) {
    if (at_work_[lane] || is_away_[lane] || is_dropped_[lane]) return;
    const auto window = queue_.take(lane, now_s_);
    is_away_[lane] = !window;
    if (!window) return;
    const double until_s = std::min(now_s_ + devices_[lane].window_s, devices_[lane].fails_at_s);
    at_work_[lane] = Work{*window, std::max(now_s_, until_s)};
  }
  std::optional<std::size_t> next_event() const {
    std::optional<std::size_t> first;
    for (std::size_t lane = 0; lane < devices_.size(); ++lane) {
      if (!at_work_[lane]) continue;
      if (!first || at_work_[lane]->until_s < at_work_[*first]->until_s) first = lane;
    }
    return first;
  }
  void end(std::size_t lane) {
    now_s_ = at_work_[lane]->until_s;
    if (devices_[lane].fails_at_s <= now_s_) {
      queue_.drop(lane);
      is_dropped_[lane] = true;
    } else {
      ++outcome_.times_done[at_work_[lane]->window];
      outcome_.makespan_s = now_s_;
      CHECK(queue_.finish(lane, now_s_) == doctest::Approx(devices_[lane].window_s));
    }
    at_work_[lane].reset();
  }

  std::vector<Device> devices_;
  WindowQueue queue_;
  std::vector<std::optional<Work>> at_work_;
  std::vector<bool> is_away_;  // got nothing, until all have stopped
  std::vector<bool> is_dropped_;
  double now_s_ = 0;
  int n_rounds_ = 0;
  Outcome outcome_;
};

// Least makespan over all ways to deal out the windows.
double least_makespan(std::size_t n_windows, const std::vector<Device>& devices,
                      std::size_t first = 0) {
  if (first + 1 == devices.size()) return static_cast<double>(n_windows) * devices[first].window_s;
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t mine = 0; mine <= n_windows; ++mine) {
    const double own = static_cast<double>(mine) * devices[first].window_s;
    best = std::min(best, std::max(own, least_makespan(n_windows - mine, devices, first + 1)));
  }
  return best;
}

struct QueueRandom {
  std::mt19937 engine{7};

  double number(double from, double to) {
    return std::uniform_real_distribution<double>(from, to)(engine);
  }
  std::size_t count(std::size_t from, std::size_t to) {
    return std::uniform_int_distribution<std::size_t>(from, to)(engine);
  }
  std::vector<Device> devices() {
    std::vector<Device> all(count(1, 4));
    for (Device& device : all) device.window_s = number(1, 10);
    return all;
  }
};

bool each_once(const Outcome& outcome) {
  return std::ranges::all_of(outcome.times_done, [](std::size_t times) { return times == 1; });
}

}  // namespace

TEST_CASE("window queue: with known times no schedule of up to 12 windows ends sooner") {
  QueueRandom random;
  for (int i = 0; i < 2000; ++i) {
    const std::vector<Device> devices = random.devices();
    const std::size_t n_windows = random.count(0, 12);
    std::vector<double> known;
    for (const Device& device : devices) known.push_back(device.window_s);
    const Outcome outcome = Clock(n_windows, devices, known).run();
    CHECK(each_once(outcome));
    CHECK(outcome.makespan_s <= least_makespan(n_windows, devices) * (1 + 1e-9));
  }
}

TEST_CASE("window queue: times that are not known cost at most the slowest device's two windows") {
  QueueRandom random;
  for (int i = 0; i < 2000; ++i) {
    const std::vector<Device> devices = random.devices();
    const std::size_t n_windows = random.count(1, 12);
    const std::vector<double> alike(devices.size(), 1.0);
    const Outcome outcome = Clock(n_windows, devices, alike).run();
    CHECK(each_once(outcome));
    const double slowest = std::ranges::max(devices, {}, &Device::window_s).window_s;
    CHECK(outcome.makespan_s <= least_makespan(n_windows, devices) + 2 * slowest);
  }
}

TEST_CASE("window queue: whenever devices fail, each window is done once while one is left") {
  QueueRandom random;
  std::size_t n_failed = 0;
  for (int i = 0; i < 2000; ++i) {
    std::vector<Device> devices = random.devices();
    const std::size_t n_windows = random.count(1, 12);
    std::vector<double> known;
    for (Device& device : devices) {
      known.push_back(device.window_s * random.number(0.5, 2));
      if (random.count(0, 1) == 0) device.fails_at_s = random.number(0, 40);
    }
    const Outcome outcome = Clock(n_windows, devices, known).run();
    const bool has_sound =
        std::ranges::any_of(devices, [](const Device& device) { return device.fails_at_s > 1e9; });
    n_failed +=
        std::ranges::any_of(devices, [](const Device& device) { return device.fails_at_s < 40; });
    if (has_sound) CHECK(each_once(outcome));
    CHECK(std::ranges::max(outcome.times_done) <= 1);
  }
  CHECK(n_failed > 500);
}
