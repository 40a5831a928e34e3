// A device whose n-th call of any kind fails: load, allocate, a sync in either direction, a run.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "npu/device.h"
#include "tests/support/device_around.h"

namespace wnpu::tests {

class FailingDevice : public DeviceAround {
 public:
  static constexpr std::size_t kNever = ~std::size_t{0};

  // Calls are counted from 0.
  FailingDevice(std::unique_ptr<npu::Device> device, std::size_t fails_at)
      : DeviceAround(std::move(device)), fails_at_(fails_at) {}

  std::size_t n_calls() const { return n_calls_; }

  std::unique_ptr<npu::Program> load(const npu::Design& design) override {
    count("load");
    return std::make_unique<FailingProgram>(*this, device().load(design));
  }
  void run_all(std::span<const npu::Run> runs, std::chrono::milliseconds timeout) override {
    count("run");
    std::vector<npu::Run> inner;
    for (const npu::Run& run : runs) {
      npu::Run& own = inner.emplace_back();
      own.program = dynamic_cast<FailingProgram&>(*run.program).inner();
      for (npu::Buffer* const buffer : run.arguments) {
        own.arguments.push_back(dynamic_cast<FailingBuffer&>(*buffer).inner());
      }
    }
    device().set_should_stop(should_stop());
    device().run_all(inner, timeout);
  }

 private:
  class FailingBuffer : public npu::Buffer {
   public:
    FailingBuffer(FailingDevice& device, std::unique_ptr<npu::Buffer> buffer)
        : device_(device), buffer_(std::move(buffer)) {}
    std::span<std::byte> host() override { return buffer_->host(); }
    void to_device() override {
      device_.count("sync to device");
      buffer_->to_device();
    }
    void from_device() override {
      device_.count("sync from device");
      buffer_->from_device();
    }
    npu::Buffer* inner() { return buffer_.get(); }

   private:
    FailingDevice& device_;
    std::unique_ptr<npu::Buffer> buffer_;
  };

  class FailingProgram : public npu::Program {
   public:
    FailingProgram(FailingDevice& device, std::unique_ptr<npu::Program> program)
        : device_(device), program_(std::move(program)) {}
    std::unique_ptr<npu::Buffer> allocate(std::size_t bytes, int argument) override {
      device_.count("allocate");
      return std::make_unique<FailingBuffer>(device_, program_->allocate(bytes, argument));
    }
    void run(std::span<npu::Buffer* const> arguments, std::chrono::milliseconds timeout) override {
      const npu::Run one{this, {arguments.begin(), arguments.end()}};
      device_.run_all({&one, 1}, timeout);
    }
    npu::Program* inner() { return program_.get(); }

   private:
    FailingDevice& device_;
    std::unique_ptr<npu::Program> program_;
  };

  void count(const char* what) {
    if (n_calls_++ != fails_at_) return;
    throw npu::DeviceError(std::string("injected: ") + what);
  }

  std::size_t fails_at_;
  std::size_t n_calls_ = 0;
};

}  // namespace wnpu::tests
