#include "app/engine/devices/encoder_group.h"

#include <algorithm>
#include <mutex>
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

void EncoderGroup::encode(std::span<const EncodeJob> jobs) {
  if (members_.empty()) begin_file(std::max<std::size_t>(1, jobs.size()));
  std::vector<std::size_t> left(jobs.size());
  std::iota(left.begin(), left.end(), 0);
  while (!left.empty() && std::ranges::any_of(members_, &Member::is_working)) {
    left = encode_round(left, jobs);
  }
  if (!left.empty()) finish_on_cpu(jobs, left);
}

// Threads take windows from one queue, or each from its own, where bits differ and a plan has
// settled before any work who takes which. The lock is for queues and counts.
std::vector<std::size_t> EncoderGroup::encode_round(std::span<const std::size_t> windows,
                                                    std::span<const EncodeJob> jobs) {
  std::vector<Member*> threads;
  std::vector<double> planned_ms;
  for (Member& member : members_) {
    if (!member.is_working()) continue;
    threads.insert(threads.end(), member.encoder->n_at_once(), &member);
    planned_ms.resize(threads.size(), member.use.planned_ms);
  }
  WindowQueues queues{{windows.begin(), windows.end()}};
  if (cpu_share_.is_beside) queues = plan_windows(windows, planned_ms);
  std::mutex mutex;
  models::side_by_side(threads.size(), [&](std::size_t i) {
    Member& member = *threads[i];
    auto& queue = queues[i % queues.size()];
    std::unique_lock lock(mutex);
    while (member.is_working() && !queue.empty()) {
      const std::size_t window = queue.front();
      queue.pop_front();
      lock.unlock();
      const auto start = models::Clock::now();
      const std::string failure = encode_one(*member.encoder, jobs[window]);
      lock.lock();
      if (failure.empty()) {
        ++member.use.windows;
        member.use.window_s += models::seconds_since(start);
      } else {
        member.use.failure = failure;
        queue.push_front(window);
      }
    }
  });
  std::vector<std::size_t> left;
  for (const auto& queue : queues) left.insert(left.end(), queue.begin(), queue.end());
  std::ranges::sort(left);
  return left;
}

// The message of a device that failed; empty: the window is encoded.
std::string EncoderGroup::encode_one(encoder::WindowEncoder& encoder, const EncodeJob& job) const {
  try {
    encoder.encode(*job.mel, *job.states, should_stop_);
    return {};
  } catch (const npu::DeviceError& error) {
    return error.what();
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
