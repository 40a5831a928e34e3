// Contexts and commands of the stand-in for the driver: one worker thread a context.
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <iostream>
#include <string>

#include "tests/xdna_mock/mock_device.h"
#include "tests/xdna_mock/mock_settings.h"

namespace wnpu::tests {
namespace {

// XRT's ert.h: opcodes of a packet, and where its first word has what.
constexpr std::uint32_t kStartCu = 0;
constexpr std::uint32_t kChain = 19;
constexpr std::size_t kMaxArgumentWords = 19;  // struct execute_buffer_req of NPU1 to NPU6

std::uint32_t opcode_of(std::uint32_t header) { return header >> 23 & 0x1f; }
std::uint32_t count_of(std::uint32_t header) { return header >> 12 & 0x7ff; }
std::uint32_t extra_masks_of(std::uint32_t header) { return header >> 10 & 3; }

void set_state(std::uint32_t* packet, CommandState state) {
  std::atomic_ref<std::uint32_t> header(*packet);
  header.store((header.load() & ~0xfU) | static_cast<std::uint32_t>(state),
               std::memory_order_release);
}

std::atomic<unsigned long> commands_ended{0};

}  // namespace

unsigned long n_commands_ended() { return commands_ended; }

int MockDevice::create_context(amdxdna_drm_create_hwctx& request) {
  if (request.num_tiles == 0) return EINVAL;
  const std::lock_guard lock(mutex_);
  if (heap_bytes_ == 0) return EINVAL;  // the driver refuses a context without device heap
  auto context = std::make_shared<MockContext>();
  context->id = next_context_++;
  request.handle = context->id;
  // With a timeline syncobj waits come as SYNCOBJ_TIMELINE_WAIT, without as WAIT_CMD.
  request.syncobj_handle = is_set("WAIT_CMD") ? 0 : context->id;
  request.umq_doorbell = AMDXDNA_INVALID_DOORBELL_OFFSET;
  contexts_[context->id] = context;
  context->worker = std::thread([self = shared_from_this(), context] { self->work(context); });
  return 0;
}

int MockDevice::configure_context(const amdxdna_drm_config_hwctx& request) {
  const std::lock_guard lock(mutex_);
  const auto found = contexts_.find(request.handle);
  if (found == contexts_.end()) return EINVAL;
  if (request.param_type != DRM_AMDXDNA_HWCTX_CONFIG_CU) return 0;
  const auto& units = *reinterpret_cast<const amdxdna_hwctx_param_config_cu*>(request.param_val);
  if (units.num_cus == 0 || !found->second->pdis.empty()) return EINVAL;
  for (int i = 0; i < units.num_cus; ++i) {
    const Buffer pdi = buffer(units.cu_configs[i].cu_bo);
    if (pdi == nullptr) return EINVAL;
    found->second->pdis.emplace_back(pdi->device_memory(), pdi->device_memory() + pdi->bytes);
  }
  return 0;
}

int MockDevice::destroy_context(std::uint32_t handle) {
  Context context;
  {
    const std::lock_guard lock(mutex_);
    const auto found = contexts_.find(handle);
    if (found == contexts_.end()) return EINVAL;
    context = found->second;
    contexts_.erase(found);
  }
  stop(context);
  return 0;
}

void MockDevice::stop(const Context& context) {
  {
    const std::lock_guard lock(mutex_);
    context->is_stopped = true;
    context->changed.notify_all();
  }
  if (context->worker.joinable()) context->worker.join();
}

void MockDevice::stop_all() {
  std::map<std::uint32_t, Context> all;
  {
    const std::lock_guard lock(mutex_);
    all.swap(contexts_);
  }
  for (const auto& [id, context] : all) stop(context);
}

std::size_t MockDevice::n_contexts() const {
  const std::lock_guard lock(mutex_);
  return contexts_.size();
}

int MockDevice::submit(amdxdna_drm_exec_cmd& request) {
  if (request.type != AMDXDNA_CMD_SUBMIT_EXEC_BUF || request.cmd_count != 1) return EINVAL;
  const std::lock_guard lock(mutex_);
  const auto found = contexts_.find(request.hwctx);
  const Buffer packet = buffer(static_cast<std::uint32_t>(request.cmd_handles));
  if (found == contexts_.end() || packet == nullptr || packet->type != AMDXDNA_BO_CMD) {
    return EINVAL;
  }
  const auto* arguments = reinterpret_cast<const std::uint32_t*>(request.args);
  for (std::uint32_t i = 0; i < request.arg_count; ++i) {
    if (!buffers_.contains(arguments[i])) return ENOENT;
  }
  MockContext& context = *found->second;
  request.seq = context.next++;
  context.queue.emplace_back(request.seq, static_cast<std::uint32_t>(request.cmd_handles));
  context.changed.notify_all();
  return 0;
}

int MockDevice::wait(std::uint32_t handle, std::uint64_t sequence, std::int64_t timeout_ms) {
  std::unique_lock lock(mutex_);
  const auto found = contexts_.find(handle);
  if (found == contexts_.end()) return EINVAL;
  const Context context = found->second;
  const auto is_ready = [&] { return context->done > sequence || context->is_stopped; };
  if (timeout_ms < 0) {
    context->changed.wait(lock, is_ready);
    return 0;
  }
  const bool ready =
      context->changed.wait_for(lock, std::chrono::milliseconds(timeout_ms), is_ready);
  return ready ? 0 : ETIME;
}

void MockDevice::work(const Context& context) {
  std::unique_lock lock(mutex_);
  for (;;) {
    context->changed.wait(lock, [&] {
      return context->is_stopped || (!context->queue.empty() && !context->is_hung);
    });
    if (context->is_stopped) return;
    const auto [sequence, handle] = context->queue.front();
    context->queue.pop_front();
    const Buffer packet = buffer(handle);
    lock.unlock();
    const std::string delay = mock_setting("DELAY_MS");
    if (!delay.empty()) std::this_thread::sleep_for(std::chrono::milliseconds(std::stoi(delay)));
    const CommandState state =
        packet == nullptr ? CommandState::kError : run_packet(*context, *packet);
    lock.lock();
    context->is_hung = state == CommandState::kNever;
    if (!context->is_hung) context->done = sequence + 1;
    context->changed.notify_all();
  }
}

CommandState MockDevice::run_packet(const MockContext& context, MockBuffer& buffer) {
  auto* packet = reinterpret_cast<std::uint32_t*>(buffer.host);
  const std::uint32_t opcode = opcode_of(packet[0]);
  CommandState state = CommandState::kAbort;  // what is no start of a kernel, such as ERT_ABORT
  if (opcode == kChain) state = run_chain(context, packet);
  if (opcode == kStartCu) state = run_start(context, packet, false);
  trace("command of context " + std::to_string(context.id) + ": state " +
        std::to_string(static_cast<int>(state)));
  if (state != CommandState::kNever) set_state(packet, state);
  return state;
}

// struct ert_cmd_chain_data: count, submit index, error index, 3 reserved, handles of 64 bits.
CommandState MockDevice::run_chain(const MockContext& context, std::uint32_t* packet) {
  const std::uint32_t n = packet[1];
  for (std::uint32_t i = 0; i < n; ++i) {
    Buffer link;
    {
      const std::lock_guard lock(mutex_);
      link = buffer(packet[7 + 2 * i]);
    }
    auto* words = link == nullptr ? nullptr : reinterpret_cast<std::uint32_t*>(link->host);
    const CommandState state =
        words == nullptr ? CommandState::kError : run_start(context, words, true);
    if (state != CommandState::kNever && words != nullptr) set_state(words, state);
    if (state != CommandState::kCompleted) {
      packet[3] = i;
      return state;
    }
  }
  packet[2] = n;
  return CommandState::kCompleted;
}

CommandState MockDevice::run_start(const MockContext& context, const std::uint32_t* packet,
                                   bool in_chain) {
  const std::size_t masks = 1 + extra_masks_of(packet[0]);
  const std::size_t count = count_of(packet[0]);
  std::size_t unit = 0;
  while (unit < 32 && (packet[1] >> unit & 1) == 0) ++unit;
  const int injected = injected_state();
  ++commands_ended;
  if (injected >= 0) return static_cast<CommandState>(injected);
  if (unit >= context.pdis.size() || count < masks) return CommandState::kError;
  if (!in_chain && count - masks > kMaxArgumentWords) {
    std::cerr << "xdna-mock: " << count - masks << " argument words; the device takes 19\n";
    return CommandState::kError;
  }
  const MockJob job{context.pdis[unit],
                    {packet + 1 + masks, count - masks},
                    [this](std::uint64_t address) { return device_memory(address); }};
  return run_job(job);
}

}  // namespace wnpu::tests
