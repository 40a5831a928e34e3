#include "app/engine/devices/window_team.h"

#include <algorithm>
#include <numeric>

#include "app/engine/devices/lane_plan.h"

namespace wnpu::app {

WindowTeam::WindowTeam(Lanes& lanes) : lanes_(lanes), encodings_(lanes.all.size()) {
  for (std::size_t i = 0; i < encodings_.size(); ++i) {
    Lane& lane = lanes_.all[i];
    lane.layers.reset();
    lane.part.reset();
    Encoding& encoding = encodings_[i];
    encoding.layers = lane.device != nullptr
                          ? lane.device->make_layers(lanes_.model, *lane.pool, {})
                          : lanes_.model.cpu_layers().make_backend(*lane.pool);
    encoding.encoder = std::make_unique<encoder::Encoder>(lanes_.model.encoder_ends(),
                                                          *encoding.layers, *lane.pool);
  }
}

std::vector<std::size_t> WindowTeam::encode(std::span<const EncodeJob> jobs) {
  const bool is_planned =
      std::ranges::any_of(lanes_.all, [](const Lane& lane) { return lane.planned_ms > 0; });
  return is_planned ? encode_by_plan(jobs) : encode_as_they_come(jobs);
}

bool WindowTeam::encode_one(std::size_t lane, const EncodeJob& job) {
  Lane& mine = lanes_.all[lane];
  const double begin_s = now_s();
  const bool is_done = runs_on(
      mine, [&] { encodings_[lane].encoder->encode(*job.mel, *job.states, lanes_.should_stop); });
  if (!is_done) return false;
  ++mine.n_windows;
  mine.busy_s += now_s() - begin_s;
  return true;
}

// A lane that has not shown its speed is taken to be like the others.
std::vector<double> WindowTeam::window_times() const {
  double sum = 0;
  std::size_t n_known = 0;
  for (const Encoding& encoding : encodings_) {
    sum += encoding.window_s;
    n_known += encoding.window_s > 0 ? 1 : 0;
  }
  const double usual = n_known > 0 ? sum / static_cast<double>(n_known) : 1;
  std::vector<double> times;
  for (const Encoding& encoding : encodings_) {
    times.push_back(encoding.window_s > 0 ? encoding.window_s : usual);
  }
  return times;
}

std::vector<std::size_t> WindowTeam::encode_as_they_come(std::span<const EncodeJob> jobs) {
  WindowQueue queue(jobs.size(), window_times());
  for (std::size_t i = 0; i < lanes_.all.size(); ++i) {
    if (!lanes_.all[i].is_working()) queue.drop(i);
  }
  // A round ends where a lane leaves windows to another that then fails or is slow: one more then.
  while (!queue.is_done()) {
    const std::vector<std::size_t> working = lanes_.working();
    if (working.empty()) break;
    side_by_side(working.size(), [&](std::size_t i) { work(working[i], jobs, queue); });
  }
  return queue.left();
}

void WindowTeam::work(std::size_t lane, std::span<const EncodeJob> jobs, WindowQueue& queue) {
  while (const auto window = queue.take(lane, now_s())) {
    if (!encode_one(lane, jobs[*window])) return queue.drop(lane);
    encodings_[lane].window_s = queue.finish(lane, now_s());
  }
}

std::vector<std::size_t> WindowTeam::encode_by_plan(std::span<const EncodeJob> jobs) {
  std::vector<std::size_t> left(jobs.size());
  std::iota(left.begin(), left.end(), 0);
  while (!left.empty() && !lanes_.working().empty()) left = deal_out(left, jobs);
  return left;
}

std::vector<std::size_t> WindowTeam::deal_out(std::span<const std::size_t> windows,
                                              std::span<const EncodeJob> jobs) {
  const std::vector<std::size_t> working = lanes_.working();
  std::vector<double> window_ms;
  window_ms.reserve(working.size());
  for (const std::size_t lane : working) window_ms.push_back(lanes_.all[lane].planned_ms);
  const auto plan = plan_windows(windows, window_ms);
  std::vector<std::size_t> n_done(plan.size());
  side_by_side(plan.size(), [&](std::size_t i) {
    const auto failed = std::ranges::find_if_not(
        plan[i], [&](std::size_t window) { return encode_one(working[i], jobs[window]); });
    n_done[i] = static_cast<std::size_t>(failed - plan[i].begin());
  });
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    left.insert(left.end(), plan[i].begin() + static_cast<std::ptrdiff_t>(n_done[i]),
                plan[i].end());
  }
  std::ranges::sort(left);
  return left;
}

}  // namespace wnpu::app
