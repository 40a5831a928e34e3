#include "app/engine/devices/window_encoder.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "app/engine/devices/head_team.h"
#include "app/engine/devices/lane_plan.h"
#include "app/engine/devices/stage_team.h"
#include "app/engine/devices/window_team.h"

namespace wnpu::app {
namespace {

// Sums the use of several devices into one: each encoded its own windows, or layers of them.
void add(const NpuUse& use, double n_layers, std::optional<NpuUse>& sum, double& sum_layers) {
  if (!sum) {
    sum = use;
    sum_layers = n_layers;
    return;
  }
  const double layers = sum_layers + n_layers;
  if (layers > 0) {
    sum->modelled_ms_per_layer =
        (sum->modelled_ms_per_layer * sum_layers + use.modelled_ms_per_layer * n_layers) / layers;
  }
  sum_layers = layers;
  sum->windows += use.windows;
  sum->launches += use.launches;
  sum->submissions += use.submissions;
  sum->ddr_bytes += use.ddr_bytes;
  sum->memory_bytes += use.memory_bytes;
}

std::optional<Stretch> stretch(std::size_t first, std::size_t count) { return {{first, count}}; }

DeviceUse use_of(const Lane& lane) {
  DeviceUse use;
  use.name = lane.name;
  use.windows = lane.n_windows;
  use.failure = lane.failure;
  use.threads = static_cast<unsigned>(lane.pool->n_threads());
  if (lane.layers) use.layers = stretch(lane.layers->first, lane.layers->count);
  if (lane.part) {
    use.heads = stretch(lane.part->first_head, lane.part->heads);
    use.hidden = stretch(lane.part->first_hidden, lane.part->hidden);
  }
  use.moved_bytes = lane.device != nullptr ? lane.device->moved_bytes() : 0;
  use.exchanged_bytes = lane.exchanged_bytes;
  use.planned_ms = lane.planned_ms;
  if (lane.n_windows > 0) use.window_s = lane.busy_s / static_cast<double>(lane.n_windows);
  return use;
}

double modelled_window_ms(const EncoderDevice& device, const LoadedModel& model) {
  try {
    return device.split_model(model.dims())->window_ms();
  } catch (const std::invalid_argument& error) {
    throw Error("device.npu_window_ms", std::string(": expected what a window takes a device, for "
                                                    "no time model says: ") +
                                            error.what());
  }
}

}  // namespace

WindowEncoder::WindowEncoder(const LoadedModel& model, std::size_t n_threads,
                             models::ThreadPool& cpu_pool,
                             const std::vector<EncoderDevice*>& devices, const Division& division)
    : falls_back_(division.falls_back),
      asked_(division.split),
      memory_limit_(division.memory_limit),
      lanes_{model, {}, {}} {
  const ThreadShares shares = thread_shares(n_threads, devices.size(), division.with_cpu);
  if (division.with_cpu) add_lane(nullptr, shares.lane);
  for (EncoderDevice* const device : devices) add_lane(device, shares.lane);
  if (devices.empty()) {
    add_lane(nullptr, 0);
    lanes_.all.back().pool = &cpu_pool;
  }
  if (division.with_cpu) plan_times(division);
  if (lanes_.all.size() == 1 || division.with_cpu) asked_ = npu::Split::windows;
  if (asked_) make_team(*asked_);
}

void WindowEncoder::add_lane(EncoderDevice* device, std::size_t n_threads) {
  Lane& lane = lanes_.all.emplace_back();
  lane.name = device != nullptr ? device->name() : backends().front().name;
  lane.device = device;
  if (n_threads == 0) return;
  lane.own = std::make_unique<models::ThreadPool>(n_threads);
  lane.pool = lane.own.get();
}

void WindowEncoder::plan_times(const Division& division) {
  for (Lane& lane : lanes_.all) {
    if (lane.device == nullptr) {
      lane.planned_ms = division.cpu_window_ms > 0
                            ? division.cpu_window_ms
                            : modelled_cpu_window_ms(lanes_.model.dims(), lanes_.model.precision());
    } else {
      lane.planned_ms = division.npu_window_ms > 0 ? division.npu_window_ms
                                                   : modelled_window_ms(*lane.device, lanes_.model);
    }
  }
}

void WindowEncoder::make_team(npu::Split split) {
  team_.reset();  // its buffers before those of the next
  if (split == npu::Split::windows) team_ = std::make_unique<WindowTeam>(lanes_);
  if (split == npu::Split::layers) team_ = std::make_unique<StageTeam>(lanes_);
  if (split == npu::Split::heads) team_ = std::make_unique<HeadTeam>(lanes_);
  split_ = split;
}

void WindowEncoder::choose_split(std::size_t n_windows) {
  if (team_ && n_windows == n_at_once_) return;
  if (!split_model_) {
    split_model_ = lanes_.all.front().device->split_model(lanes_.model.dims());
  }
  n_at_once_ = n_windows;
  try {
    costs_ = split_model_->costs(lanes_.all.size(), n_windows, memory_limit_);
    const npu::Split best = npu::best_split(costs_).split;
    if (!team_ || best != split_) make_team(best);
  } catch (const std::invalid_argument& error) {
    throw npu::DeviceError(std::string("device split auto: ") + error.what());
  }
}

bool WindowEncoder::is_on_device() const {
  return fallback_.empty() &&
         std::ranges::any_of(lanes_.all, [](const Lane& lane) { return lane.device != nullptr; });
}

void WindowEncoder::set_should_stop(std::function<bool()> should_stop) {
  for (Lane& lane : lanes_.all) {
    if (lane.device != nullptr) lane.device->set_should_stop(should_stop);
    if (lane.own) lane.own->set_should_stop(should_stop);
  }
  lanes_.should_stop = std::move(should_stop);
}

void WindowEncoder::begin_file(std::size_t n_at_once) {
  for (Lane& lane : lanes_.all) lane.failure.clear();
  fallback_.clear();
  if (!asked_) choose_split(n_at_once);
  for (Lane& lane : lanes_.all) {
    lane.n_windows = 0;
    lane.busy_s = 0;
    lane.exchanged_bytes = 0;
    if (lane.device != nullptr) lane.device->reset_counts();
  }
}

void WindowEncoder::encode(std::span<const EncodeJob> jobs) {
  if (!team_) choose_split(std::max<std::size_t>(1, jobs.size()));
  const std::vector<std::size_t> left = team_->encode(jobs);
  if (!left.empty()) finish_on_cpu(jobs, left);
}

// A device's failure is the one that may be survived, and only where the user said so.
void WindowEncoder::finish_on_cpu(std::span<const EncodeJob> jobs,
                                  const std::vector<std::size_t>& left) {
  std::string failures;
  for (const Lane& lane : lanes_.all) failures += (failures.empty() ? "" : "; ") + lane.failure;
  if (!falls_back_) throw npu::DeviceError(failures);
  take_over(failures);
  for (const std::size_t window : left) {
    cpu_->encode(*jobs[window].mel, *jobs[window].states, lanes_.should_stop);
  }
}

// With a lane's threads, for those of the decoder may be at work.
void WindowEncoder::take_over(const std::string& failures) {
  if (!cpu_) {
    models::ThreadPool& pool = *lanes_.all.front().pool;
    cpu_layers_ = lanes_.model.cpu_layers().make_backend(pool);
    cpu_ = std::make_unique<encoder::Encoder>(lanes_.model.encoder_ends(), *cpu_layers_, pool);
  }
  fallback_ = failures;
}

void WindowEncoder::describe(DeviceInfo& info) const {
  info.npu.reset();
  info.devices.clear();
  info.split.reset();
  if (lanes_.all.size() == 1 && lanes_.all.front().device == nullptr) return;
  double n_layers_of_all = 0;
  for (const Lane& lane : lanes_.all) {
    info.devices.push_back(use_of(lane));
    if (lane.device == nullptr) continue;
    const std::size_t n_layers =
        lane.n_windows * (lane.layers ? lane.layers->count : lanes_.model.dims().n_audio_layer);
    DeviceInfo one;
    lane.device->describe(lane.n_windows, n_layers, one);
    info.simulated = one.simulated;
    if (one.npu) add(*one.npu, static_cast<double>(n_layers), info.npu, n_layers_of_all);
  }
  if (lanes_.all.size() > 1) describe_split(info);
}

void WindowEncoder::describe_split(DeviceInfo& info) const {
  if (split_ != npu::Split::windows && info.npu) {
    // Every device had a part in each.
    info.npu->windows = 0;
    for (const Lane& lane : lanes_.all) {
      info.npu->windows = std::max(info.npu->windows, lane.n_windows);
    }
  }
  SplitUse& use = info.split.emplace();
  use.requested = asked_ ? split_name(*asked_) : kAutoDevice;
  use.used = split_name(split_);
  use.is_planned = lanes_.all.front().planned_ms > 0;
  if (costs_.empty()) return;
  use.reason = npu::split_reason(costs_, lanes_.all.size(), n_at_once_);
  for (const npu::SplitCost& cost : costs_) {
    use.ways.push_back({std::string(split_name(cost.split)), cost.modelled_ms, cost.exchanged_bytes,
                        cost.device_bytes, cost.refusal});
  }
}

}  // namespace wnpu::app
