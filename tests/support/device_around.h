// A device that passes everything on to another; tests change what they are about.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "npu/device.h"

namespace wnpu::tests {

class DeviceAround : public npu::Device {
 public:
  explicit DeviceAround(std::unique_ptr<npu::Device> device) : device_(std::move(device)) {}

  std::string_view description() const override { return device_->description(); }
  bool is_simulated() const override { return device_->is_simulated(); }
  const npu::Target& target() const override { return device_->target(); }
  std::unique_ptr<npu::Program> load(const npu::Design& design) override {
    return device_->load(design);
  }
  void run_all(std::span<const npu::Run> runs, std::chrono::milliseconds timeout) override {
    device_->run_all(runs, timeout);
  }
  npu::RunStats stats() const override { return device_->stats(); }
  void reset_stats() override { device_->reset_stats(); }

 protected:
  npu::Device& device() { return *device_; }

 private:
  std::unique_ptr<npu::Device> device_;
};

}  // namespace wnpu::tests
