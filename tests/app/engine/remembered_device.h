// A simulated device that simulates each list of calls once in a process. The same programs with
// the same bytes in all their buffers get what the simulator gave them before: bytes, counts and
// modelled time. For tests of what divides work among devices and begins it again: of their
// thousands of calls most are alike. Whatever a buffer of the list holds is input, scratch too, so
// that nothing is given that the simulator would not give; programs, buffers and arguments that it
// refuses are refused. Whether to stop is asked before each list, not within.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "npu/buffer_count.h"
#include "npu/design/design.h"
#include "npu/sim/sim_device.h"

namespace wnpu::tests {

// The simulator behind all devices of the process, and what it gave.
class RememberedCalls {
 public:
  using Bytes = std::vector<std::byte>;
  struct List {
    std::vector<std::uint64_t> programs;              // a run
    std::vector<std::vector<std::size_t>> arguments;  // a run: places in `buffers`
    std::vector<std::span<std::byte>> buffers;        // each once: the device's memory
  };

  static RememberedCalls& of_process() {
    static RememberedCalls calls;
    return calls;
  }

  const npu::Device& simulator() const { return *simulator_; }

  std::uint64_t load(const npu::Design& design) {
    const std::lock_guard lock(mutex_);
    const std::uint64_t hash = npu::design_hash(design);
    std::unique_ptr<npu::Program>& program = programs_[hash];
    if (!program) program = simulator_->load(design);
    return hash;
  }

  // Refused as the simulator refuses it.
  void check_buffer(std::uint64_t program, std::size_t bytes, int argument) {
    const std::lock_guard lock(mutex_);
    static_cast<void>(programs_.at(program)->allocate(bytes, argument));
  }

  // Writes into the buffers what the list gives; what it counts. A list that may not take as long
  // as it does is simulated up to there again.
  npu::RunStats run(const List& list, std::chrono::milliseconds timeout) {
    const std::lock_guard lock(mutex_);
    const std::uint64_t key = key_of(list);
    auto found = outcomes_.find(key);
    if (found == outcomes_.end()) found = outcomes_.emplace(key, simulate(list, timeout)).first;
    if (found->second.stats.modelled_ms > static_cast<double>(timeout.count())) {
      simulate(list, timeout);
    }
    for (const auto& [place, bytes] : found->second.written) {
      std::memcpy(list.buffers[place].data(), bytes.data(), bytes.size());
    }
    return found->second.stats;
  }

 private:
  struct Outcome {
    npu::RunStats stats;
    std::map<std::size_t, Bytes> written;  // by the place in `buffers`
  };

  static std::uint64_t key_of(const List& list) {
    std::string parts;
    const auto add = [&parts](std::uint64_t part) { parts += std::to_string(part) + ' '; };
    for (std::size_t i = 0; i < list.programs.size(); ++i) {
      add(list.programs[i]);
      for (const std::size_t place : list.arguments[i]) add(place);
    }
    for (const std::span<std::byte> buffer : list.buffers) {
      add(buffer.size());
      add(std::hash<std::string_view>()(
          {reinterpret_cast<const char*>(buffer.data()), buffer.size()}));  // NOLINT
    }
    return std::hash<std::string>()(parts);
  }

  Outcome simulate(const List& list, std::chrono::milliseconds timeout) {
    std::vector<std::unique_ptr<npu::Buffer>> buffers;
    for (const std::span<std::byte> buffer : list.buffers) {
      buffers.push_back(programs_.at(list.programs.front())->allocate(buffer.size(), 0));
      std::memcpy(buffers.back()->host().data(), buffer.data(), buffer.size());
      buffers.back()->to_device();
    }
    std::vector<npu::Run> runs;
    for (std::size_t i = 0; i < list.programs.size(); ++i) {
      npu::Run& run = runs.emplace_back();
      run.program = programs_.at(list.programs[i]).get();
      for (const std::size_t place : list.arguments[i]) {
        run.arguments.push_back(buffers[place].get());
      }
    }
    simulator_->reset_stats();
    simulator_->run_all(runs, timeout);
    Outcome outcome{simulator_->stats(), {}};
    for (std::size_t place = 0; place < buffers.size(); ++place) {
      buffers[place]->from_device();
      const std::span<std::byte> after = buffers[place]->host();
      // Not by algorithms: without optimisation they call functions for every byte.
      if (std::memcmp(after.data(), list.buffers[place].data(), after.size()) == 0) continue;
      outcome.written[place].assign(after.begin(), after.end());
    }
    return outcome;
  }

  std::mutex mutex_;
  std::unique_ptr<npu::Device> simulator_ = npu::open_sim_device();
  std::map<std::uint64_t, std::unique_ptr<npu::Program>> programs_;  // by the design's hash
  std::unordered_map<std::uint64_t, Outcome> outcomes_;
};

class RememberedDevice : public npu::Device {
 public:
  // `fails_at`: the launch that fails, counted from 0.
  explicit RememberedDevice(std::optional<std::size_t> fails_at = std::nullopt)
      : fails_at_(fails_at) {}

  std::string_view description() const override { return calls_.simulator().description(); }
  bool is_simulated() const override { return true; }
  const npu::Target& target() const override { return calls_.simulator().target(); }
  npu::RunStats stats() const override { return npu::stats_with_buffers(stats_, *count_); }
  void reset_stats() override {
    stats_ = {};
    count_->forget_peak();
  }
  std::unique_ptr<npu::Program> load(const npu::Design& design) override {
    return std::make_unique<RememberedProgram>(*this, calls_.load(design));
  }

  void run_all(std::span<const npu::Run> runs, std::chrono::milliseconds timeout) override {
    stop_if_asked();
    fail_if_ordered(runs.size());
    const npu::RunStats done = calls_.run(list_of(runs), timeout);
    stats_.launches += done.launches;
    stats_.submissions += done.submissions;
    stats_.ddr_read_bytes += done.ddr_read_bytes;
    stats_.ddr_write_bytes += done.ddr_write_bytes;
    stats_.modelled_ms += done.modelled_ms;
    stats_.wall_ms += done.wall_ms;
  }

 private:
  class RememberedBuffer : public npu::Buffer {
   public:
    RememberedBuffer(RememberedDevice& device, std::size_t bytes)
        : device_(device), host_(bytes), memory_(bytes, kPoison), counted_(device.count_, bytes) {}
    std::span<std::byte> host() override { return host_; }
    void to_device() override {
      memory_ = host_;
      device_.stats_.to_device_bytes += host_.size();
    }
    void from_device() override {
      host_ = memory_;
      device_.stats_.from_device_bytes += host_.size();
    }
    std::span<std::byte> memory() { return memory_; }
    bool is_of(const RememberedDevice& device) const { return &device_ == &device; }

   private:
    static constexpr std::byte kPoison{0xff};  // as in the simulator: NaN
    RememberedDevice& device_;
    RememberedCalls::Bytes host_;
    RememberedCalls::Bytes memory_;
    npu::CountedBytes counted_;
  };

  class RememberedProgram : public npu::Program {
   public:
    RememberedProgram(RememberedDevice& device, std::uint64_t hash)
        : device_(device), hash_(hash) {}
    std::unique_ptr<npu::Buffer> allocate(std::size_t bytes, int argument) override {
      device_.calls_.check_buffer(hash_, bytes, argument);
      return std::make_unique<RememberedBuffer>(device_, bytes);
    }
    void run(std::span<npu::Buffer* const> arguments, std::chrono::milliseconds timeout) override {
      const npu::Run one{this, {arguments.begin(), arguments.end()}};
      device_.run_all({&one, 1}, timeout);
    }
    std::uint64_t hash() const { return hash_; }
    bool is_of(const RememberedDevice& device) const { return &device_ == &device; }

   private:
    RememberedDevice& device_;
    std::uint64_t hash_;
  };

  // Casts to this device's own class; refuses objects of other devices as the simulator does.
  template <typename Own, typename Given>
  Own& own(Given* given) const {
    auto* const found = dynamic_cast<Own*>(given);
    if (found == nullptr || !found->is_of(*this)) {
      throw npu::DeviceError("remembered NPU: expected a program and buffers of this device");
    }
    return *found;
  }

  RememberedCalls::List list_of(std::span<const npu::Run> runs) const {
    RememberedCalls::List list;
    std::vector<const npu::Buffer*> known;
    for (const npu::Run& run : runs) {
      list.programs.push_back(own<RememberedProgram>(run.program).hash());
      std::vector<std::size_t>& places = list.arguments.emplace_back();
      for (npu::Buffer* const buffer : run.arguments) {
        const auto place = std::ranges::find(known, buffer) - known.begin();
        places.push_back(static_cast<std::size_t>(place));
        if (place < std::ssize(known)) continue;
        known.push_back(buffer);
        list.buffers.push_back(own<RememberedBuffer>(buffer).memory());
      }
    }
    return list;
  }

  // Injected failure: the launches of a list before the failing one are not done either, since
  // their effect is undefined to callers.
  void fail_if_ordered(std::size_t n_runs) {
    const std::size_t first = std::exchange(n_launches_, n_launches_ + n_runs);
    if (!fails_at_ || *fails_at_ < first || *fails_at_ >= first + n_runs) return;
    n_launches_ = *fails_at_ + 1;
    throw npu::DeviceError("remembered NPU: run " + std::to_string(*fails_at_ - first + 1) +
                           ": command failed (injected)");
  }

  RememberedCalls& calls_ = RememberedCalls::of_process();
  std::optional<std::size_t> fails_at_;
  std::size_t n_launches_ = 0;
  npu::RunStats stats_;
  std::shared_ptr<npu::BufferCount> count_ = std::make_shared<npu::BufferCount>();
};

}  // namespace wnpu::tests
