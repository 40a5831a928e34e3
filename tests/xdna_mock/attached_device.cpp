#include "tests/xdna_mock/attached_device.h"

#include <utility>
#include <vector>

#include "npu/design.h"
#include "tests/xdna_mock/array_executor.h"

namespace wnpu::tests {
namespace {

using namespace npu;

void compute(const Design& design, std::span<Buffer* const> arguments) {
  std::vector<std::span<std::byte>> memory;
  for (Buffer* buffer : arguments) memory.push_back(buffer->host());
  execute(design, memory);
}

class AttachedProgram final : public Program {
 public:
  AttachedProgram(std::unique_ptr<Program> inner, Design design)
      : inner_(std::move(inner)), design_(std::move(design)) {}
  std::unique_ptr<Buffer> allocate(std::size_t bytes, int argument) override {
    return inner_->allocate(bytes, argument);
  }
  void run(std::span<Buffer* const> arguments, std::chrono::milliseconds timeout) override {
    inner_->run(arguments, timeout);
    compute(design_, arguments);
  }
  Program* inner() { return inner_.get(); }
  const Design& design() const { return design_; }

 private:
  std::unique_ptr<Program> inner_;
  Design design_;
};

class AttachedDevice final : public Device {
 public:
  explicit AttachedDevice(std::unique_ptr<Device> inner) : inner_(std::move(inner)) {}
  std::string_view description() const override { return inner_->description(); }
  bool is_simulated() const override { return true; }
  std::unique_ptr<Program> load(const Design& design) override {
    return std::make_unique<AttachedProgram>(inner_->load(design), design);
  }
  void run_all(std::span<const Run> runs, std::chrono::milliseconds timeout) override {
    std::vector<Run> unwrapped(runs.begin(), runs.end());
    for (Run& run : unwrapped) {
      // A program of another device is handed on as it is: the device must refuse it.
      auto* program = dynamic_cast<AttachedProgram*>(run.program);
      if (program != nullptr) run.program = program->inner();
    }
    inner_->run_all(unwrapped, timeout);
    for (const Run& run : runs) {
      compute(dynamic_cast<AttachedProgram&>(*run.program).design(), run.arguments);
    }
  }
  RunStats stats() const override { return inner_->stats(); }
  void reset_stats() override { inner_->reset_stats(); }

 private:
  std::unique_ptr<Device> inner_;
};

}  // namespace

std::unique_ptr<Device> attach(std::unique_ptr<Device> device) {
  return std::make_unique<AttachedDevice>(std::move(device));
}

}  // namespace wnpu::tests
