#include "npu/sim/sim_device.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "npu/buffer_count.h"
#include "npu/design/design.h"
#include "npu/ops/stand_in.h"
#include "npu/sim/array_memory.h"
#include "npu/sim/check.h"
#include "npu/sim/compile_call.h"

namespace wnpu::npu {
namespace {

// On both sides of every buffer's device memory.
constexpr std::size_t kGuardBytes = 64;
constexpr std::byte kGuard{0xa5};
// XRT gives page-aligned buffers; sizes are whole words (kWordBytes), as streams carry words.

class SimBuffer final : public Buffer {
 public:
  // Owner and its counts must outlive the buffer.
  SimBuffer(const Device* owner, RunStats& synced, std::size_t bytes,
            std::shared_ptr<BufferCount> count)
      : owner_(owner),
        counts_(synced),
        host_(bytes),
        device_(bytes + 2 * kGuardBytes, kPoison),
        counted_(std::move(count), bytes) {
    std::fill_n(device_.begin(), kGuardBytes, kGuard);
    std::fill_n(device_.end() - kGuardBytes, kGuardBytes, kGuard);
  }

  std::span<std::byte> host() override { return host_; }
  void to_device() override {
    copy_bytes(host_, device());
    counts_.to_device_bytes += host_.size();
  }
  void from_device() override {
    copy_bytes(device(), host_);
    counts_.from_device_bytes += host_.size();
  }

  const Device* owner() const { return owner_; }
  std::span<std::byte> device() { return std::span(device_).subspan(kGuardBytes, host_.size()); }
  bool has_intact_guards() const {
    const auto is_guard = [](std::byte b) { return b == kGuard; };
    return std::all_of(device_.begin(), device_.begin() + kGuardBytes, is_guard) &&
           std::all_of(device_.end() - kGuardBytes, device_.end(), is_guard);
  }

 private:
  static constexpr std::byte kPoison{0xff};  // NaN in bf16 and float
  const Device* owner_;
  RunStats& counts_;
  std::vector<std::byte> host_;
  std::vector<std::byte> device_;
  CountedBytes counted_;
};

class ArrayDevice;

class SimProgram final : public Program {
 public:
  SimProgram(ArrayDevice& device, std::vector<Memory> arguments, EncodedCall call)
      : device_(device), arguments_(std::move(arguments)), call_(std::move(call)) {}
  std::unique_ptr<Buffer> allocate(std::size_t bytes, int argument) override;
  void run(std::span<Buffer* const> arguments, std::chrono::milliseconds timeout) override;

  const ArrayDevice& device() const { return device_; }
  const EncodedCall& call() const { return call_; }
  const std::vector<Memory>& arguments() const { return arguments_; }

 private:
  ArrayDevice& device_;
  std::vector<Memory> arguments_;
  EncodedCall call_;
};

class ArrayDevice final : public Device {
 public:
  explicit ArrayDevice(const SimDeviceOptions& options)
      : options_(options),
        preset_(options.times ? *options.times : find_preset(options.preset)),
        pool_(options.threads),
        description_("simulated " + std::string(preset_.target->product) + ", modelled as " +
                     preset_.name) {
    if (options_.gelu) replace_gelu(*options_.gelu);
  }

  std::string_view description() const override { return description_; }
  bool is_simulated() const override { return true; }
  const Target& target() const override { return *preset_.target; }
  RunStats stats() const override { return stats_with_buffers(stats_, *count_); }
  void reset_stats() override {
    stats_ = {};
    count_->forget_peak();
  }
  const std::shared_ptr<BufferCount>& count() const { return count_; }
  RunStats& counts() { return stats_; }

  std::unique_ptr<Program> load(const Design& design) override {
    if (design.target != preset_.target) {
      throw DeviceError("simulated NPU: load " + design.name + ": expected a design for " +
                        std::string(preset_.target->name) + ", found one for " +
                        std::string(design.target->name));
    }
    const auto problems = check(design);
    if (!problems.empty()) {
      throw DeviceError("simulated NPU: load " + design.name + ": " + problems.front());
    }
    const auto n_arguments = static_cast<std::ptrdiff_t>(design.n_arguments());
    return std::make_unique<SimProgram>(
        *this, std::vector(design.memories.begin(), design.memories.begin() + n_arguments),
        encoded_call(design, control_program(design).program));
  }

  void run_all(std::span<const Run> runs, std::chrono::milliseconds timeout) override {
    const double launch_ms = (runs.size() > 1 ? preset_.list_launch_us : preset_.launch_us) / 1e3;
    const auto begin = std::chrono::steady_clock::now();
    const double modelled_before = stats_.modelled_ms;
    ++stats_.submissions;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const std::string where =
          "simulated NPU: run " + std::to_string(i + 1) + " of " + std::to_string(runs.size());
      stats_.modelled_ms += launch_ms + run_one(runs[i], where);
      const double modelled = stats_.modelled_ms - modelled_before;
      if (modelled > static_cast<double>(timeout.count())) {
        throw DeviceError(where + ": timed out: modelled time " + std::to_string(modelled) +
                          " ms, limit " + std::to_string(timeout.count()) + " ms");
      }
    }
    stats_.wall_ms +=
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  }

 private:
  void replace_gelu(const Operator& op) {
    require_like_gelu(op);
    if (!op.tile) throw DeviceError("simulated NPU: operator " + op.name + ": no tile kernel");
    gelu_cost_ = cycles_an_element(op, preset_.kernels.gelu_cycles);
    preset_.kernels.gelu_cycles = {gelu_cost_.cycles, gelu_cost_.provenance, gelu_cost_.source};
    description_ += ", with operator " + op.name + " for " + std::string(kReplaceable);
  }

  // Modelled time, launch not included.
  double run_one(const Run& run, const std::string& where) {
    const auto& program = static_cast<const SimProgram&>(checked_program(run, where));
    const EncodedCall& call = program.call();
    const auto buffers = checked_arguments(run, program, where);
    fail_if_ordered(where);
    std::vector<std::span<std::byte>> arguments;
    arguments.reserve(buffers.size());
    for (SimBuffer* buffer : buffers) arguments.push_back(buffer->device());
    SimOptions options{&preset_, false, should_stop()};
    options.costs = &controller_of(preset_);
    options.gelu = options_.gelu.get();
    const SimReport report = simulate(call, options, {arguments, &pool_});
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      if (buffers[i]->has_intact_guards()) continue;
      throw DeviceError(where + ": " + call.name + " wrote beyond argument " + std::to_string(i));
    }
    ++stats_.launches;
    stats_.ddr_read_bytes += report.ddr_read_bytes;
    stats_.ddr_write_bytes += report.ddr_write_bytes;
    return report.ms;
  }

  const Program& checked_program(const Run& run, const std::string& where) const {
    const auto* program = dynamic_cast<const SimProgram*>(run.program);
    if (program == nullptr || &program->device() != this) {
      throw DeviceError(where + ": expected a program of this device, found " +
                        (run.program == nullptr ? "none" : "another device's"));
    }
    return *program;
  }

  std::vector<SimBuffer*> checked_arguments(const Run& run, const SimProgram& program,
                                            const std::string& where) const {
    const std::vector<Memory>& arguments = program.arguments();
    const std::string call = where + ": " + program.call().name;
    if (run.arguments.size() != arguments.size()) {
      throw DeviceError(call + ": expected " + std::to_string(arguments.size()) +
                        " arguments, found " + std::to_string(run.arguments.size()));
    }
    std::vector<SimBuffer*> buffers;
    for (std::size_t i = 0; i < run.arguments.size(); ++i) {
      const std::string argument =
          call + ": argument " + std::to_string(i) + " (" + arguments[i].name + ")";
      auto* buffer = dynamic_cast<SimBuffer*>(run.arguments[i]);
      if (buffer == nullptr || buffer->owner() != this) {
        throw DeviceError(argument + ": expected a buffer of this device");
      }
      if (buffer->device().size() < arguments[i].bytes) {
        throw DeviceError(argument + ": expected " + std::to_string(arguments[i].bytes) +
                          " bytes, found " + std::to_string(buffer->device().size()));
      }
      buffers.push_back(buffer);
    }
    return buffers;
  }

  void fail_if_ordered(const std::string& where) {
    const std::size_t launch = n_started_++;
    if (options_.failure.kind == InjectedFailure::Kind::none || launch != options_.failure.launch) {
      return;
    }
    throw DeviceError(where + (options_.failure.kind == InjectedFailure::Kind::timeout
                                   ? ": timed out (injected)"
                                   : ": command failed (injected)"));
  }

  SimDeviceOptions options_;
  HardwareModel preset_;
  WorkerPool pool_;
  std::string description_;
  TileCost gelu_cost_;  // of what stands in for GELU: the preset's rate has a view of its source
  RunStats stats_;
  std::size_t n_started_ = 0;
  std::shared_ptr<BufferCount> count_ = std::make_shared<BufferCount>();
};

std::unique_ptr<Buffer> SimProgram::allocate(std::size_t bytes, int argument) {
  const std::string call = "simulated NPU: " + call_.name + ": allocate";
  if (argument < 0 || static_cast<std::size_t>(argument) >= arguments_.size()) {
    throw DeviceError(call + ": expected an argument below " + std::to_string(arguments_.size()) +
                      ", found " + std::to_string(argument));
  }
  if (bytes == 0 || bytes % kWordBytes != 0) {
    throw DeviceError(call + ": expected whole words of 4 bytes, found " + std::to_string(bytes) +
                      " bytes");
  }
  return std::make_unique<SimBuffer>(&device_, device_.counts(), bytes, device_.count());
}

void SimProgram::run(std::span<Buffer* const> arguments, std::chrono::milliseconds timeout) {
  const Run one{this, {arguments.begin(), arguments.end()}};
  device_.run_all({&one, 1}, timeout);
}

}  // namespace

std::unique_ptr<Device> open_sim_device(const SimDeviceOptions& options) {
  if (options.threads < 1) {
    throw DeviceError("simulated NPU: threads: expected at least 1, found " +
                      std::to_string(options.threads));
  }
  try {
    return std::make_unique<ArrayDevice>(options);
  } catch (const std::invalid_argument& error) {
    throw DeviceError(std::string("simulated NPU: ") + error.what());
  }
}

}  // namespace wnpu::npu
