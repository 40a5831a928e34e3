#include "npu/xrt/xrt_device.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>

#include "npu/buffer_count.h"
#include "npu/design/design.h"
#include "npu/xrt/xrt_compat.h"
#include "npu/xrt/xrt_hints.h"
#include "npu/xrt/xrt_launch.h"
#include "npu/xrt/xrt_manifest.h"
#include "npu/xrt/xrt_open.h"

namespace wnpu::npu {
namespace {

using Clock = std::chrono::steady_clock;

// The kernel's arguments as aiecc declares them: 0 opcode, 1 instructions, 2 their count, then the
// buffers. Opcode 3 runs an instruction buffer (Xilinx/mlir-aie, runtime_lib/test_lib).
constexpr int kFirstBuffer = 3;
constexpr std::uint64_t kRunInstructions = 3;
// A command's register map has 19 words: 5 for the first three arguments, 2 a buffer
// (amd/xdna-driver, struct execute_buffer_req).
constexpr std::size_t kMaxBuffers = 7;

struct Deadline {
  std::chrono::milliseconds timeout;
  Clock::time_point at;
};

class XrtBuffer final : public Buffer {
 public:
  // Size of a buffer and the argument that it is for.
  struct Size {
    std::size_t bytes = 0;
    int argument = 0;
  };
  // The device's name and its counts must outlive the buffer.
  XrtBuffer(const std::string& device, RunStats& synced, const xrt_compat::Overlay& overlay,
            Size size, std::shared_ptr<BufferCount> count)
      : device_(device),
        counts_(synced),
        bytes_(size.bytes),
        counted_(std::move(count), size.bytes) {
    calling(device_, "allocate " + std::to_string(bytes_) + " bytes", [&] {
      const auto group = static_cast<xrt::memory_group>(overlay.kernel.group_id(size.argument));
      bo_ = xrt::bo(overlay.device, bytes_, xrt::bo::flags::host_only, group);
      mapped_ = bo_.map<std::byte*>();
    });
  }
  std::span<std::byte> host() override { return {mapped_, bytes_}; }
  void to_device() override {
    calling(device_, "sync to device", [this] { bo_.sync(XCL_BO_SYNC_BO_TO_DEVICE); });
    counts_.to_device_bytes += bytes_;
  }
  void from_device() override {
    calling(device_, "sync from device", [this] { bo_.sync(XCL_BO_SYNC_BO_FROM_DEVICE); });
    counts_.from_device_bytes += bytes_;
  }
  const xrt::bo& bo() const { return bo_; }
  bool is_of(const std::string& device) const { return &device_ == &device; }

 private:
  const std::string& device_;  // its name
  RunStats& counts_;
  std::size_t bytes_;
  CountedBytes counted_;
  xrt::bo bo_;
  std::byte* mapped_ = nullptr;
};

class XrtDevice;

class XrtProgram final : public Program {
 public:
  XrtProgram(XrtDevice& device, const Design& design, std::span<const std::uint32_t> words);
  ~XrtProgram() override;
  XrtProgram(const XrtProgram&) = delete;
  XrtProgram& operator=(const XrtProgram&) = delete;
  std::unique_ptr<Buffer> allocate(std::size_t bytes, int argument) override;
  void run(std::span<Buffer* const> arguments, std::chrono::milliseconds timeout) override;

  xrt::run new_run() const;
  // Throws DeviceError unless `arguments` are what the design declares.
  void check(std::span<Buffer* const> arguments) const;
  const std::string& name() const { return name_; }
  const XrtDevice& device() const { return device_; }

 private:
  XrtDevice& device_;
  std::string name_;
  std::vector<std::size_t> argument_bytes_;
  std::size_t n_words_;
  xrt::bo instructions_;
};

class XrtDevice final : public Device {
 public:
  XrtDevice(const XrtDeviceInfo& info, const xrt::device& device, const Target& target,
            XrtManifest manifest)
      : name_(info.bdf.empty() ? "npu" : "npu " + info.bdf),
        target_(target),
        manifest_(std::move(manifest)) {
    description_ = (info.name.empty() ? "unnamed device" : info.name) +
                   (info.bdf.empty() ? "" : " at " + info.bdf) + ", " + xrt_version();
    overlay_ = calling(name_, "load " + manifest_.xclbin.string(), [&] {
      return xrt_compat::load_overlay(device, manifest_.xclbin.string(), manifest_.kernel);
    });
    if (n_buffers() == 0 || n_buffers() > kMaxBuffers) {
      throw DeviceError(manifest_.xclbin.string() + ": expected a kernel with 1 to " +
                        std::to_string(kMaxBuffers) + " buffers, found " +
                        std::to_string(n_buffers()));
    }
    // Bound to arguments that a program does not use: XRT would leave an earlier run's there.
    unused_ =
        std::make_unique<XrtBuffer>(name_, stats_, overlay_, XrtBuffer::Size{4096, kFirstBuffer},
                                    std::make_shared<BufferCount>());
  }

  std::string_view description() const override { return description_; }
  bool is_simulated() const override { return false; }
  const Target& target() const override { return target_; }
  std::unique_ptr<Program> load(const Design& design) override;
  void run_all(std::span<const Run> runs, std::chrono::milliseconds timeout) override;
  RunStats stats() const override { return stats_with_buffers(stats_, *count_); }
  void reset_stats() override {
    stats_ = {};
    count_->forget_peak();
  }
  const std::shared_ptr<BufferCount>& count() const { return count_; }
  RunStats& counts() { return stats_; }

  const std::string& name() const { return name_; }
  const xrt_compat::Overlay& overlay() const { return overlay_; }
  // The commands of a program go with it.
  void forget(const XrtProgram& program) {
    std::erase_if(prepared_, [&](const Prepared& entry) {
      return std::find(entry.programs.begin(), entry.programs.end(), &program) !=
             entry.programs.end();
    });
  }
  std::size_t n_buffers() const {
    return overlay_.n_arguments < kFirstBuffer ? 0 : overlay_.n_arguments - kFirstBuffer;
  }

 private:
  // The programs of one command, in order. The objects of a command are made once and used again
  // for every later command of the same programs; only their buffers are set anew.
  using Programs = std::vector<const XrtProgram*>;
  struct Prepared {
    Programs programs;
    std::unique_ptr<Launch> launch;
  };
  Prepared& prepare(std::span<const Run> runs);
  void bind(Launch& launch, std::span<const Run> runs);
  void run_chunk(std::span<const Run> runs, std::size_t first, const Deadline& deadline);
  std::string which(const Prepared& prepared, std::size_t run, std::size_t first) const;

  std::string name_;
  std::string description_;
  const Target& target_;
  XrtManifest manifest_;
  xrt_compat::Overlay overlay_;
  std::unique_ptr<XrtBuffer> unused_;
  std::vector<Prepared> prepared_;
  RunStats stats_;
  std::shared_ptr<BufferCount> count_ = std::make_shared<BufferCount>();
  std::string lost_;  // why the device may not be used any more
};

XrtProgram::XrtProgram(XrtDevice& device, const Design& design,
                       std::span<const std::uint32_t> words)
    : device_(device), name_(design.name), n_words_(words.size()) {
  for (std::size_t i = 0; i < design.n_arguments(); ++i) {
    argument_bytes_.push_back(design.memories[i].bytes);
  }
  if (argument_bytes_.size() > device.n_buffers()) {
    throw DeviceError(device.name() + ": load " + name_ + ": expected at most " +
                      std::to_string(device.n_buffers()) + " arguments, found " +
                      std::to_string(argument_bytes_.size()));
  }
  calling(device_.name(), "load instructions of " + name_, [&] {
    const auto& overlay = device_.overlay();
    const auto group = static_cast<xrt::memory_group>(overlay.kernel.group_id(1));
    instructions_ = xrt::bo(overlay.device, words.size_bytes(), xrt::bo::flags::cacheable, group);
    std::memcpy(instructions_.map<std::byte*>(), words.data(), words.size_bytes());
    instructions_.sync(XCL_BO_SYNC_BO_TO_DEVICE);
  });
}

XrtProgram::~XrtProgram() { device_.forget(*this); }

std::unique_ptr<Buffer> XrtProgram::allocate(std::size_t bytes, int argument) {
  if (argument < 0 || static_cast<std::size_t>(argument) >= device_.n_buffers() || bytes == 0) {
    throw DeviceError(device_.name() + ": allocate for " + name_ + ": expected argument 0 to " +
                      std::to_string(device_.n_buffers() - 1) + " and some bytes, found argument " +
                      std::to_string(argument) + " and " + std::to_string(bytes) + " bytes");
  }
  return std::make_unique<XrtBuffer>(device_.name(), device_.counts(), device_.overlay(),
                                     XrtBuffer::Size{bytes, kFirstBuffer + argument},
                                     device_.count());
}

void XrtProgram::run(std::span<Buffer* const> arguments, std::chrono::milliseconds timeout) {
  const Run single{this, {arguments.begin(), arguments.end()}};
  device_.run_all({&single, 1}, timeout);
}

xrt::run XrtProgram::new_run() const {
  xrt::run run(device_.overlay().kernel);
  run.set_arg(0, kRunInstructions);
  run.set_arg(1, instructions_);
  run.set_arg(2, static_cast<std::uint32_t>(n_words_));
  return run;
}

void XrtProgram::check(std::span<Buffer* const> arguments) const {
  const std::string call = device_.name() + ": run " + name_ + ": ";
  if (arguments.size() != argument_bytes_.size()) {
    throw DeviceError(call + "expected " + std::to_string(argument_bytes_.size()) +
                      " arguments, found " + std::to_string(arguments.size()));
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string argument = call + "argument " + std::to_string(i) + ": expected ";
    const auto* buffer = dynamic_cast<const XrtBuffer*>(arguments[i]);
    if (buffer == nullptr || !buffer->is_of(device_.name())) {
      throw DeviceError(argument + "a buffer of this device, found another's");
    }
    if (buffer->bo().size() < argument_bytes_[i]) {
      throw DeviceError(argument + std::to_string(argument_bytes_[i]) + " bytes, found " +
                        std::to_string(buffer->bo().size()));
    }
  }
}

std::unique_ptr<Program> XrtDevice::load(const Design& design) {
  require_overlay(manifest_, hash_text(overlay_hash(design)));
  const auto words = read_stream(manifest_, hash_text(design_hash(design)));
  return std::make_unique<XrtProgram>(*this, design, words);
}

XrtDevice::Prepared& XrtDevice::prepare(std::span<const Run> runs) {
  Programs programs;
  for (const Run& run : runs) {
    const auto* program = dynamic_cast<const XrtProgram*>(run.program);
    if (program == nullptr || &program->device() != this) {
      throw DeviceError(name_ + ": run: expected a program of this device, found another's");
    }
    program->check(run.arguments);
    programs.push_back(program);
  }
  const auto known = std::find_if(prepared_.begin(), prepared_.end(), [&](const Prepared& entry) {
    return entry.programs == programs;
  });
  if (known != prepared_.end()) return *known;
  std::vector<xrt::run> commands;
  for (const XrtProgram* program : programs) commands.push_back(program->new_run());
  auto launch = std::make_unique<Launch>(
      Launch{overlay_, xrt_compat::Command(overlay_, std::move(commands)), {}});
  return prepared_.emplace_back(Prepared{std::move(programs), std::move(launch)});
}

void XrtDevice::bind(Launch& launch, std::span<const Run> runs) {
  launch.buffers.clear();
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::vector<Buffer*>& arguments = runs[i].arguments;
    for (std::size_t argument = 0; argument < n_buffers(); ++argument) {
      const Buffer* given = argument < arguments.size() ? arguments[argument] : unused_.get();
      const xrt::bo& bo = dynamic_cast<const XrtBuffer&>(*given).bo();
      launch.command.runs()[i].set_arg(kFirstBuffer + static_cast<int>(argument), bo);
      launch.buffers.push_back(bo);
    }
  }
}

std::string XrtDevice::which(const Prepared& prepared, std::size_t run, std::size_t first) const {
  if (run >= prepared.programs.size()) return "run";
  return "run " + std::to_string(first + run) + " (" + prepared.programs[run]->name() + ")";
}

void XrtDevice::run_chunk(std::span<const Run> runs, std::size_t first, const Deadline& deadline) {
  Prepared& prepared = calling(name_, "prepare run", [&]() -> Prepared& { return prepare(runs); });
  const std::string single = which(prepared, runs.size() == 1 ? 0 : runs.size(), first);
  calling(name_, single, [&] {
    try {
      bind(*prepared.launch, runs);
      launch_until(prepared.launch, deadline.at);
      ++stats_.submissions;
      stats_.launches += runs.size();
    } catch (const xrt_compat::RunFailure& failure) {
      throw DeviceError(error_text(name_, which(prepared, failure.run, first), failure.what()));
    } catch (const DeadlinePassed&) {
      lost_ = "an earlier command did not end and may still be writing; restart the program";
      throw DeviceError(error_text(
          name_, single, "no answer within " + std::to_string(deadline.timeout.count()) + " ms"));
    }
  });
}

void XrtDevice::run_all(std::span<const Run> runs, std::chrono::milliseconds timeout) {
  if (!lost_.empty()) throw DeviceError(error_text(name_, "run", lost_));
  const Clock::time_point start = Clock::now();
  try {
    for (std::size_t first = 0; first < runs.size(); first += xrt_compat::Command::kMaxRuns) {
      const std::size_t n = std::min(xrt_compat::Command::kMaxRuns, runs.size() - first);
      stop_if_asked();
      run_chunk(runs.subspan(first, n), first, {timeout, start + timeout});
    }
  } catch (const DeviceError&) {
    prepared_.clear();  // a command that failed is not used again
    throw;
  }
  stats_.wall_ms += std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

}  // namespace

std::unique_ptr<Device> open_xrt_device(const XrtOptions& options) {
  const xrt::device device = open_device(options.bdf);
  const XrtDeviceInfo info = describe(device);
  const Target& target = target_of_device(info);
  return std::make_unique<XrtDevice>(
      info, device, target,
      installed_overlay(xclbin_places(options.xclbin), std::string(target.name)));
}

}  // namespace wnpu::npu
