// Windows of the window loop that a device encodes while others are decoded.
#include <chrono>
#include <functional>
#include <numeric>
#include <utility>

#include "app/engine/windows/window_loop.h"
#include "models/base/stage_timer.h"
#include "npu/device.h"

namespace wnpu::app {

void share_time(std::span<ActiveClip* const> clips, double Timing::*stage, double seconds) {
  const double part = seconds / static_cast<double>(clips.size());
  for (const ActiveClip* const clip : clips) clip->file->transcript().timing.*stage += part;
}

// The encoder's threads have the states alone, so that this thread may do all else meanwhile.
void WindowLoop::encode_ahead(Jobs jobs) {
  const auto n_encoded = [&] {
    const auto count = [](const TranscriptionJob* job) {
      return job->count(ActiveClip::Stage::encoded);
    };
    return std::transform_reduce(jobs.begin(), jobs.end(), std::size_t{0}, std::plus(), count);
  };
  if (encoding_.valid()) {
    const bool has_other = !at_work().empty() || n_encoded() > 0;
    if (has_other && encoding_.wait_for(std::chrono::seconds(0)) == std::future_status::timeout)
      return;
    take_encoded();
  }
  look_at_device();
  if (!overlaps_ || device_failure_ || n_encoded() >= slots_.size()) return;
  std::vector<EncodeJob> windows;
  while (windows.size() < slots_.size()) {
    ActiveClip* const clip = next_clip(jobs, ActiveClip::Stage::waiting);
    if (clip == nullptr) break;
    if (!clip->file->next_window(*clip)) continue;
    clip->stage = ActiveClip::Stage::ahead;
    ahead_.push_back(clip);
    windows.push_back({&clip->mel, &clip->states});
  }
  if (windows.empty()) return;
  // Deferred if no thread can be started: the task then runs inside get().
  encoding_ = std::async(std::launch::async | std::launch::deferred, [this, windows] {
    const auto start = models::Clock::now();
    recognizer_.encoder().encode(windows);
    return models::seconds_since(start);
  });
}

// A device that has failed is told of once what it has encoded is decoded.
void WindowLoop::take_encoded() {
  const std::vector<ActiveClip*> clips = std::exchange(ahead_, {});
  try {
    share_time(clips, &Timing::encode, encoding_.get());
    for (ActiveClip* const clip : clips) clip->stage = ActiveClip::Stage::encoded;
  } catch (const npu::DeviceError&) {
    device_failure_ = std::current_exception();
    for (ActiveClip* const clip : clips) clip->stage = ActiveClip::Stage::waiting;
  }
}

}  // namespace wnpu::app
