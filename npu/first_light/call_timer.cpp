#include "npu/first_light/call_timer.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace wnpu::npu {

CallTimer::CallTimer(Device& device, std::size_t runs, std::chrono::milliseconds timeout)
    : device_(device), runs_(device.is_simulated() ? 1 : runs), timeout_(timeout) {}

double CallTimer::once(std::span<const Run> list) {
  const RunStats before = device_.stats();
  device_.run_all(list, timeout_);
  const RunStats after = device_.stats();
  return 1e3 * (device_.is_simulated() ? after.modelled_ms - before.modelled_ms
                                       : after.wall_ms - before.wall_ms);
}

CallTime CallTimer::time(const std::string& name, std::span<const Run> list) {
  if (!device_.is_simulated()) once(list);
  std::vector<double> us;
  for (std::size_t i = 0; i < runs_; ++i) us.push_back(once(list));
  std::ranges::sort(us);
  const auto at = [&](double share) {
    const double last = static_cast<double>(us.size() - 1);
    return us[static_cast<std::size_t>(std::ceil(share * last))];
  };
  return {name, us.size(), at(0.5), at(0.95)};
}

}  // namespace wnpu::npu
