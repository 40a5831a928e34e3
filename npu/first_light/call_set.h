// Calls over the same arguments on one device, and how long they take.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "npu/device.h"
#include "npu/first_light/microbenchmarks/calls.h"
#include "npu/first_light/result.h"

namespace wnpu::npu {

class CallSet {
 public:
  // `device` must outlive it. Throws DeviceError. Arguments are as long as the longest call's.
  CallSet(Device& device, std::span<const NamedDesign> calls);

  std::size_t n_arguments() const { return arguments_.size(); }
  // Transfers with the device: write() and fill() reach its memory, read() comes from there.
  void write(std::size_t argument, std::span<const std::byte> bytes);
  void fill(std::size_t argument, std::byte value);
  std::span<const std::byte> read(std::size_t argument);
  // More buffers for an argument, zeros, for runs that take others than the set's own.
  std::unique_ptr<Buffer> another(std::size_t argument);

  Run run_of(std::size_t call) const;
  Buffer& buffer(std::size_t argument) { return *arguments_[argument]; }
  void run(std::size_t call, std::chrono::milliseconds timeout);
  Device& device() { return device_; }

 private:
  Device& device_;
  std::vector<std::size_t> bytes_;
  std::vector<std::unique_ptr<Program>> programs_;
  std::vector<std::size_t> n_arguments_;  // of each call
  std::vector<std::unique_ptr<Buffer>> arguments_;
};

// Times calls: on hardware by the host's clock, on a simulator by its time model.
class CallTimer {
 public:
  // One run on a simulator, which gives the same time each time; else one that warms up and `runs`.
  CallTimer(Device& device, std::size_t runs, std::chrono::milliseconds timeout);

  // All of `list` as one submission. Throws DeviceError.
  CallTime time(const std::string& name, std::span<const Run> list);

 private:
  double once(std::span<const Run> list);  // us

  Device& device_;
  std::size_t runs_;
  std::chrono::milliseconds timeout_;
};

}  // namespace wnpu::npu
