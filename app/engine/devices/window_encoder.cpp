#include "app/engine/devices/window_encoder.h"

#include <algorithm>
#include <future>
#include <utility>

#include "models/base/stage_timer.h"
#include "models/base/stopped.h"

namespace wnpu::app {
namespace {

double now_s() {
  return std::chrono::duration<double>(models::Clock::now().time_since_epoch()).count();
}

// What several devices did, as if one had.
void add(const NpuUse& use, std::optional<NpuUse>& sum) {
  if (!sum) {
    sum = use;
    return;
  }
  const std::size_t windows = sum->windows + use.windows;
  if (windows > 0) {
    sum->modelled_ms_per_layer = (sum->modelled_ms_per_layer * static_cast<double>(sum->windows) +
                                  use.modelled_ms_per_layer * static_cast<double>(use.windows)) /
                                 static_cast<double>(windows);
  }
  sum->windows = windows;
  sum->launches += use.launches;
  sum->submissions += use.submissions;
  sum->ddr_bytes += use.ddr_bytes;
  sum->memory_bytes += use.memory_bytes;
}

}  // namespace

WindowEncoder::WindowEncoder(const LoadedModel& model, std::size_t n_threads,
                             models::ThreadPool& cpu_pool,
                             const std::vector<EncoderDevice*>& devices, bool falls_back)
    : model_(model), cpu_pool_(cpu_pool), falls_back_(falls_back) {
  for (EncoderDevice* const device : devices) {
    Lane& lane = lanes_.emplace_back();
    lane.device = device;
    lane.pool =
        std::make_unique<models::ThreadPool>(std::max<std::size_t>(1, n_threads / devices.size()));
    make_encoder(lane, *lane.pool);
  }
  if (devices.empty()) make_encoder(lanes_.emplace_back(), cpu_pool_);
}

void WindowEncoder::make_encoder(Lane& lane, models::ThreadPool& pool) {
  lane.layers = lane.device != nullptr ? lane.device->make_layers(model_, pool)
                                       : model_.cpu_layers().make_backend(pool);
  lane.encoder = std::make_unique<encoder::Encoder>(model_.encoder_ends(), *lane.layers, pool);
}

void WindowEncoder::set_should_stop(std::function<bool()> should_stop) {
  for (Lane& lane : lanes_) {
    if (lane.device != nullptr) lane.device->set_should_stop(should_stop);
    if (lane.pool) lane.pool->set_should_stop(should_stop);
  }
  should_stop_ = std::move(should_stop);
}

std::vector<std::size_t> WindowEncoder::working_lanes() const {
  std::vector<std::size_t> working;
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    if (lanes_[i].failure.empty()) working.push_back(i);
  }
  return working;
}

// A lane that has not shown its speed is taken to be like the others.
std::vector<double> WindowEncoder::window_times() const {
  double sum = 0;
  std::size_t n_known = 0;
  for (const Lane& lane : lanes_) {
    sum += lane.window_s;
    n_known += lane.window_s > 0 ? 1 : 0;
  }
  const double usual = n_known > 0 ? sum / static_cast<double>(n_known) : 1;
  std::vector<double> times;
  for (const Lane& lane : lanes_) times.push_back(lane.window_s > 0 ? lane.window_s : usual);
  return times;
}

void WindowEncoder::encode(std::span<const EncodeJob> jobs) {
  WindowQueue queue(jobs.size(), window_times());
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    if (!lanes_[i].failure.empty()) queue.drop(i);
  }
  // A round ends where a lane leaves windows to another that then fails or is slow: one more then.
  while (!queue.is_done()) {
    const std::vector<std::size_t> working = working_lanes();
    if (working.empty()) return finish_on_cpu(jobs, queue.left());
    work_side_by_side(working, jobs, queue);
  }
}

void WindowEncoder::finish_on_cpu(std::span<const EncodeJob> jobs,
                                  const std::vector<std::size_t>& left) {
  hand_over_to_cpu();
  for (const std::size_t window : left) {
    lanes_.back().encoder->encode(*jobs[window].mel, *jobs[window].states, should_stop_);
  }
}

void WindowEncoder::work_side_by_side(const std::vector<std::size_t>& lanes,
                                      std::span<const EncodeJob> jobs, WindowQueue& queue) {
  std::vector<std::future<void>> others;
  for (std::size_t i = 1; i < lanes.size(); ++i) {
    // Deferred, which is to say done in get(), where the system gives no thread.
    others.push_back(std::async(std::launch::async | std::launch::deferred,
                                [&, lane = lanes[i]] { work(lane, jobs, queue); }));
  }
  work(lanes.front(), jobs, queue);
  for (std::future<void>& other : others) other.get();
}

void WindowEncoder::work(std::size_t lane, std::span<const EncodeJob> jobs, WindowQueue& queue) {
  Lane& mine = lanes_[lane];
  while (const auto window = queue.take(lane, now_s())) {
    try {
      mine.encoder->encode(*jobs[*window].mel, *jobs[*window].states, should_stop_);
    } catch (const npu::Stopped&) {
      throw models::Stopped();
    } catch (const npu::DeviceError& error) {
      mine.failure = error.what();
      return queue.drop(lane);
    }
    mine.window_s = queue.finish(lane, now_s());
    ++mine.n_windows;
  }
}

// A device's failure is the one that may be survived, and only where the user said so.
void WindowEncoder::hand_over_to_cpu() {
  std::string failures;
  for (Lane& lane : lanes_) failures += (failures.empty() ? "" : "; ") + lane.failure;
  if (!falls_back_) {
    for (Lane& lane : lanes_) lane.failure.clear();
    throw npu::DeviceError(failures);
  }
  for (Lane& lane : lanes_) {
    lane.encoder.reset();
    lane.layers.reset();
  }
  // Where the model's layers find no memory all stays as it is, for the next call.
  Lane cpu;
  make_encoder(cpu, *lanes_.front().pool);  // cpu_pool may be at work in the decoder
  lanes_.reserve(lanes_.size() + 1);
  cpu.pool = std::move(lanes_.front().pool);
  lanes_.push_back(std::move(cpu));
  fallback_ = failures;
}

void WindowEncoder::reset_counts() {
  for (Lane& lane : lanes_) {
    lane.n_windows = 0;
    if (lane.device != nullptr) lane.device->reset_counts();
  }
}

void WindowEncoder::describe(DeviceInfo& info) const {
  info.npu.reset();
  info.devices.clear();
  for (const Lane& lane : lanes_) {
    if (lane.device == nullptr) continue;
    DeviceInfo one;
    lane.device->describe(lane.n_windows, lane.n_windows * model_.dims().n_audio_layer, one);
    info.simulated = one.simulated;
    if (one.npu) add(*one.npu, info.npu);
    info.devices.push_back({std::string(lane.device->name()), lane.n_windows, lane.failure});
  }
}

}  // namespace wnpu::app
