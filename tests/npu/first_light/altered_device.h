// The simulator with one thing wrong: after a launch, bits of an argument are turned.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "npu/sim/sim_device.h"

namespace wnpu::tests {

struct Alteration {
  std::size_t launch = 0;  // counted from 0 since the device was opened
  std::size_t argument = 0;
  std::size_t offset = 0;  // bytes
  std::byte bits{0x01};
};

class AlteredDevice final : public npu::Device {
 public:
  AlteredDevice(std::unique_ptr<npu::Device> inner, std::vector<Alteration> alterations)
      : inner_(std::move(inner)), alterations_(std::move(alterations)) {}

  std::string_view description() const override { return inner_->description(); }
  bool is_simulated() const override { return inner_->is_simulated(); }
  const npu::Target& target() const override { return inner_->target(); }
  std::unique_ptr<npu::Program> load(const npu::Design& design) override {
    return inner_->load(design);
  }
  void run_all(std::span<const npu::Run> runs, std::chrono::milliseconds timeout) override {
    inner_->run_all(runs, timeout);
    for (const npu::Run& run : runs) alter(run);
  }
  npu::RunStats stats() const override { return inner_->stats(); }
  void reset_stats() override { inner_->reset_stats(); }

 private:
  void alter(const npu::Run& run) {
    for (const Alteration& alteration : alterations_) {
      if (alteration.launch != n_launches_) continue;
      npu::Buffer& buffer = *run.arguments[alteration.argument];
      buffer.from_device();
      buffer.host()[alteration.offset] ^= alteration.bits;
      buffer.to_device();
    }
    ++n_launches_;
  }

  std::unique_ptr<npu::Device> inner_;
  std::vector<Alteration> alterations_;
  std::size_t n_launches_ = 0;
};

}  // namespace wnpu::tests
