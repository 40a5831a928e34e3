#include "npu/xrt/xrt_launch.h"

#include <algorithm>
#include <mutex>
#include <thread>

namespace wnpu::npu {
namespace {

using Clock = std::chrono::steady_clock;

// Never destroyed, and so reachable to the very end: destroying a run in flight aborts.
void keep_for_ever(std::unique_ptr<Launch> launch) {
  static std::mutex mutex;
  static auto& kept = *new std::vector<std::unique_ptr<Launch>>;  // NOLINT: leaked on purpose
  const std::lock_guard lock(mutex);
  kept.push_back(std::move(launch));
}

bool has_surely_ended(const Launch& launch) {
  try {
    return launch.command.has_ended();
  } catch (const std::exception&) {
    return false;
  }
}

// The state lies in memory shared with the driver, so a look is cheap; the pause grows with the
// time waited so that polling adds at most a sixteenth to a command's time.
void wait_for_end(const Launch& launch, Clock::time_point deadline) {
  using std::chrono::microseconds;
  const Clock::time_point start = Clock::now();
  while (!launch.command.has_ended()) {
    const Clock::time_point now = Clock::now();
    if (now >= deadline) throw DeadlinePassed("deadline passed");
    const auto pause = std::chrono::duration_cast<microseconds>((now - start) / 16);
    std::this_thread::sleep_for(std::clamp(pause, microseconds(5), microseconds(1000)));
  }
}

}  // namespace

void launch_until(std::unique_ptr<Launch>& launch, Clock::time_point deadline) {
  launch->command.start();
  try {
    wait_for_end(*launch, deadline);
    launch->command.finish();
  } catch (...) {
    if (!has_surely_ended(*launch)) keep_for_ever(std::move(launch));
    throw;
  }
}

}  // namespace wnpu::npu
