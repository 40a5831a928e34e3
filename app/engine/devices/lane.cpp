#include "app/engine/devices/lane.h"

#include <numeric>

#include "models/base/stage_timer.h"
#include "models/base/stopped.h"

namespace wnpu::app {

std::vector<std::size_t> Lanes::working() const {
  std::vector<std::size_t> indexes;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].is_working()) indexes.push_back(i);
  }
  return indexes;
}

void side_by_side(std::size_t n, const std::function<void(std::size_t)>& f) {
  std::vector<std::future<void>> others;
  for (std::size_t i = 1; i < n; ++i) {
    // Deferred if no thread can be started: the task then runs inside get().
    others.push_back(std::async(std::launch::async | std::launch::deferred, [&f, i] { f(i); }));
  }
  f(0);
  for (std::future<void>& other : others) other.get();
}

bool runs_on(Lane& lane, const std::function<void()>& f) {
  try {
    f();
    return true;
  } catch (const npu::Stopped&) {
    throw models::Stopped();
  } catch (const npu::DeviceError& error) {
    lane.failure = error.what();
    return false;
  }
}

double now_s() {
  return std::chrono::duration<double>(models::Clock::now().time_since_epoch()).count();
}

void DividedTeam::begin(const std::string& part, std::size_t n_parts) {
  const std::vector<std::size_t> all = lanes_.working();
  if (all.size() > n_parts) {
    throw npu::DeviceError("split " + part + "s: expected at most " + std::to_string(n_parts) +
                           " devices, a " + part + " each, found " + std::to_string(all.size()));
  }
  if (divide(all)) return;
  for (const Lane& lane : lanes_.all) {
    if (!lane.is_working()) throw npu::DeviceError(lane.failure);
  }
}

bool DividedTeam::divide(const std::vector<std::size_t>& working) {
  divided_.clear();
  if (!make_parts(working)) return false;
  divided_ = working;
  return true;
}

std::vector<std::size_t> DividedTeam::encode(std::span<const EncodeJob> jobs) {
  std::size_t n_done = 0;
  while (n_done < jobs.size()) {
    const std::vector<std::size_t> working = lanes_.working();
    if (working.empty()) break;
    if (working != divided_ && !divide(working)) continue;
    n_done += run(jobs.subspan(n_done));
  }
  std::vector<std::size_t> left(jobs.size() - n_done);
  std::iota(left.begin(), left.end(), n_done);
  return left;
}

}  // namespace wnpu::app
