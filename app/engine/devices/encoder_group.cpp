#include "app/engine/devices/encoder_group.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "app/engine/devices/backends.h"
#include "encoder/encoder.h"
#include "models/base/side_by_side.h"
#include "models/base/stage_timer.h"
#include "npu/device.h"

namespace wnpu::app {

EncoderGroup::EncoderGroup(const LoadedModel& model, std::size_t n_threads,
                           models::ThreadPool& cpu_pool, EncoderSet* devices, const CpuShare& cpu)
    : model_(model), devices_(devices), cpu_share_(cpu), pool_(&cpu_pool) {
  if (devices_ == nullptr) {
    begin_file(1);
    return;
  }
  share_ = thread_shares(n_threads, devices_->n_devices(), cpu.is_beside).encoder;
  devices_->load(model, share_);
  if (cpu.is_beside) fill_times(model, *devices_, cpu_share_);
}

// Beside devices not with the decoder's threads, which may be at work.
encoder::WindowEncoder& EncoderGroup::cpu() {
  if (cpu_) return *cpu_;
  if (devices_ != nullptr) {
    own_pool_ = std::make_unique<models::ThreadPool>(share_);
    own_pool_->set_should_stop(should_stop_);
    pool_ = own_pool_.get();
  }
  cpu_ = std::make_unique<encoder::Encoder>(model_.stem_and_norm(),
                                            model_.cpu_layers().make_backend(*pool_), *pool_);
  return *cpu_;
}

void EncoderGroup::add_member(const NamedEncoder& encoder, double planned_ms) {
  Member& member = members_.emplace_back();
  member.encoder = encoder.encoder;
  member.use.name = encoder.name;
  member.use.threads = static_cast<unsigned>(share_);
  if (cpu_share_.is_beside) member.use.planned_ms = planned_ms;
}

void EncoderGroup::begin_file(std::size_t n_at_once) {
  fallback_.clear();
  members_.clear();
  if (devices_ == nullptr || cpu_share_.is_beside) {
    add_member({std::string(backends().front().name), &cpu()}, cpu_share_.cpu_window_ms);
  }
  if (devices_ == nullptr) return;
  for (const NamedEncoder& each : devices_->begin_file(n_at_once)) {
    add_member(each, cpu_share_.npu_window_ms);
  }
}

void EncoderGroup::set_should_stop(std::function<bool()> should_stop) {
  if (devices_ != nullptr) devices_->set_should_stop(should_stop);
  if (own_pool_) own_pool_->set_should_stop(should_stop);
  should_stop_ = std::move(should_stop);
}

std::vector<EncoderGroup::Member*> EncoderGroup::threads() {
  std::vector<Member*> all;
  for (Member& member : members_) {
    if (member.use.failure.empty()) all.insert(all.end(), member.encoder->n_at_once(), &member);
  }
  return all;
}

WindowQueues EncoderGroup::queues(std::span<const std::size_t> windows,
                                  std::span<Member* const> threads) const {
  if (!cpu_share_.is_beside) return {{windows.begin(), windows.end()}};
  std::vector<double> planned_ms;
  for (const Member* const member : threads) planned_ms.push_back(member->use.planned_ms);
  return plan_windows(windows, planned_ms);
}

// In rounds, for a device may fail when others have gone.
void EncoderGroup::encode(std::span<const EncodeJob> jobs) {
  if (members_.empty()) begin_file(std::max<std::size_t>(1, jobs.size()));
  std::vector<std::size_t> left(jobs.size());
  std::iota(left.begin(), left.end(), 0);
  while (!left.empty()) {
    const std::vector<Member*> at_work = threads();
    if (at_work.empty()) return finish_on_cpu(jobs, left);
    WindowQueues all = queues(left, at_work);
    models::side_by_side(at_work.size(),
                         [&](std::size_t i) { work(*at_work[i], all[i % all.size()], jobs); });
    left.clear();
    for (const auto& queue : all) left.insert(left.end(), queue.begin(), queue.end());
    std::ranges::sort(left);
  }
}

void EncoderGroup::work(Member& member, std::deque<std::size_t>& queue,
                        std::span<const EncodeJob> jobs) {
  std::unique_lock lock(mutex_);
  while (member.use.failure.empty() && !queue.empty()) {
    const std::size_t window = queue.front();
    queue.pop_front();
    lock.unlock();
    const auto start = models::Clock::now();
    try {
      member.encoder->encode(*jobs[window].mel, *jobs[window].states, should_stop_);
      lock.lock();
      ++member.use.windows;
      member.use.window_s += models::seconds_since(start);
    } catch (const npu::DeviceError& error) {
      lock.lock();
      member.use.failure = error.what();
      queue.push_front(window);
    }
  }
}

// A device's failure is the one that may be survived, and only where the user said so.
void EncoderGroup::finish_on_cpu(std::span<const EncodeJob> jobs,
                                 std::span<const std::size_t> left) {
  std::string failures;
  for (const Member& member : members_) {
    failures += (failures.empty() ? "" : "; ") + member.use.failure;
  }
  if (!cpu_share_.falls_back) throw npu::DeviceError(failures);
  fallback_ = failures;
  for (const std::size_t window : left) {
    cpu().encode(*jobs[window].mel, *jobs[window].states, should_stop_);
  }
}

void EncoderGroup::describe(DeviceInfo& info) const {
  info.npu.reset();
  info.devices.clear();
  info.split.reset();
  if (devices_ == nullptr) return;
  std::vector<DeviceUse> rows;
  for (const Member& member : members_) {
    DeviceUse& use = rows.emplace_back(member.use);
    use.window_s /= std::max(1.0, static_cast<double>(use.windows));
    if (cpu_share_.is_beside && info.devices.empty()) info.devices.swap(rows);
  }
  devices_->describe(rows, info);
  for (DeviceUse& use : rows) {
    use.planned_ms = cpu_share_.is_beside ? cpu_share_.npu_window_ms : 0;
    info.devices.push_back(std::move(use));
  }
  if (info.devices.size() < 2) return;
  if (!info.split) {
    info.split.emplace();
    info.split->requested = info.split->used = kWholeWindows;
  }
  info.split->is_planned = cpu_share_.is_beside;
}

}  // namespace wnpu::app
