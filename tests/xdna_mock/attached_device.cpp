#include "tests/xdna_mock/attached_device.h"

#include <cstdint>
#include <fstream>
#include <utility>
#include <vector>

#include "npu/design/design.h"
#include "tests/xdna_mock/array_executor.h"

namespace wnpu::tests {
namespace {

using namespace npu;

std::vector<std::uint32_t> read_words(const std::filesystem::path& path) {
  std::vector<std::uint32_t> words(std::filesystem::file_size(path) / sizeof(std::uint32_t));
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(words.data()),
            static_cast<std::streamsize>(words.size() * sizeof(std::uint32_t)));
  return words;
}

class AttachedProgram final : public Program {
 public:
  AttachedProgram(std::unique_ptr<Program> inner, std::vector<std::uint32_t> stream)
      : inner_(std::move(inner)), stream_(std::move(stream)) {}
  std::unique_ptr<Buffer> allocate(std::size_t bytes, int argument) override {
    return inner_->allocate(bytes, argument);
  }
  void run(std::span<Buffer* const> arguments, std::chrono::milliseconds timeout) override {
    inner_->run(arguments, timeout);
    compute(arguments);
  }
  Program* inner() { return inner_.get(); }
  void compute(std::span<Buffer* const> arguments) const {
    std::vector<std::span<std::byte>> memory;
    memory.reserve(arguments.size());
    for (Buffer* buffer : arguments) memory.push_back(buffer->host());
    execute(stream_, memory);
  }

 private:
  std::unique_ptr<Program> inner_;
  std::vector<std::uint32_t> stream_;
};

class AttachedDevice final : public Device {
 public:
  AttachedDevice(std::unique_ptr<Device> inner, std::filesystem::path folder)
      : inner_(std::move(inner)), folder_(std::move(folder)) {}
  std::string_view description() const override { return inner_->description(); }
  bool is_simulated() const override { return true; }
  const Target& target() const override { return inner_->target(); }
  std::unique_ptr<Program> load(const Design& design) override {
    auto program = inner_->load(design);
    const auto stream = folder_ / (hash_text(design_hash(design)) + ".bin");
    return std::make_unique<AttachedProgram>(std::move(program), read_words(stream));
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
      dynamic_cast<AttachedProgram&>(*run.program).compute(run.arguments);
    }
  }
  RunStats stats() const override { return inner_->stats(); }
  void reset_stats() override { inner_->reset_stats(); }

 private:
  std::unique_ptr<Device> inner_;
  std::filesystem::path folder_;
};

}  // namespace

std::unique_ptr<Device> attach(std::unique_ptr<Device> device,
                               const std::filesystem::path& folder) {
  return std::make_unique<AttachedDevice>(std::move(device), folder);
}

}  // namespace wnpu::tests
