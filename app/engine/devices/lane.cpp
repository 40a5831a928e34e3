#include "app/engine/devices/lane.h"

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
    // Where no thread can be started the task is deferred: it then runs inside get().
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

}  // namespace wnpu::app
