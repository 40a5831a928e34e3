#include "npu/tensor/recorded_calls.h"

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <utility>

#include "npu/device.h"
#include "npu/tensor/queue.h"

namespace wnpu::npu::ops {
namespace {

// Values of one operand at most: what the host needs for it is four bytes a value.
constexpr std::size_t kMostZeros = std::size_t{1} << 28;

class HostBuffer final : public Buffer {
 public:
  explicit HostBuffer(std::size_t bytes) : bytes_(bytes) {}
  std::span<std::byte> host() override { return bytes_; }
  void to_device() override {}
  void from_device() override {}

 private:
  std::vector<std::byte> bytes_;
};

class RecordedProgram final : public Program {
 public:
  std::unique_ptr<Buffer> allocate(std::size_t bytes, int /*argument*/) override {
    return std::make_unique<HostBuffer>(bytes);
  }
  void run(std::span<Buffer* const> /*arguments*/, std::chrono::milliseconds /*timeout*/) override {
  }
};

// Keeps the Designs that it is given; its results are zeros.
class RecordingDevice final : public Device {
 public:
  explicit RecordingDevice(const Target& target) : target_(target) {}

  std::string_view description() const override { return "a record of calls"; }
  bool is_simulated() const override { return true; }
  const Target& target() const override { return target_; }
  std::unique_ptr<Program> load(const Design& design) override {
    const std::uint64_t hash = design_hash(design);
    if (std::ranges::find(hashes_, hash) == hashes_.end()) {
      hashes_.push_back(hash);
      designs_.push_back(design);
    }
    return std::make_unique<RecordedProgram>();
  }
  void run_all(std::span<const Run> /*runs*/, std::chrono::milliseconds /*timeout*/) override {}
  RunStats stats() const override { return {}; }
  void reset_stats() override {}

  std::vector<Design> take() { return std::move(designs_); }

 private:
  const Target& target_;
  std::vector<std::uint64_t> hashes_;
  std::vector<Design> designs_;
};

using Sizes = std::vector<std::size_t>;

struct Recordable {
  const char* name;
  const char* sizes;
  std::size_t n_sizes;
  std::vector<Sizes> (*shapes)(const Sizes&);
  Handle (*submit)(Queue&, std::vector<Tensor>, Type);
};

std::vector<Sizes> one_tensor(const Sizes& sizes) { return {sizes}; }

constexpr std::array kRecordable{
    Recordable{"matmul", "M,K,N", 3,
               [](const Sizes& s) -> std::vector<Sizes> {
                 return {{s[0], s[1]}, {s[1], s[2]}};
               },
               [](Queue& queue, std::vector<Tensor> x, Type type) {
                 return queue.matmul(std::move(x[0]), std::move(x[1]), type);
               }},
    Recordable{
        "softmax", "ROWS,COLUMNS", 2, one_tensor,
        [](Queue& queue, std::vector<Tensor> x, Type) { return queue.softmax(std::move(x[0])); }},
    Recordable{"layer_norm", "ROWS,COLUMNS", 2, one_tensor,
               [](Queue& queue, std::vector<Tensor> x, Type) {
                 return queue.layer_norm(std::move(x[0]));
               }},
    Recordable{
        "gelu", "VALUES", 1, one_tensor,
        [](Queue& queue, std::vector<Tensor> x, Type) { return queue.gelu(std::move(x[0])); }},
    Recordable{"attention", "HEADS,QUERIES,KEYS,WIDTH", 4,
               [](const Sizes& s) -> std::vector<Sizes> {
                 return {{s[0], s[1], s[3]}, {s[0], s[2], s[3]}, {s[0], s[2], s[3]}};
               },
               [](Queue& queue, std::vector<Tensor> x, Type) {
                 return queue.attention(std::move(x[0]), std::move(x[1]), std::move(x[2]));
               }}};

const Recordable* find_recordable(const std::string& name) {
  const auto* const found = std::ranges::find(kRecordable, name, &Recordable::name);
  return found == kRecordable.end() ? nullptr : found;
}

Tensor zeros_of(const std::string& name, const Sizes& shape) {
  std::size_t values = 1;
  for (const std::size_t size : shape) {
    if (size == 0 || size > kMostZeros / values) {
      throw TensorError(name + ": expected sizes of at least 1 and operands of at most " +
                        std::to_string(kMostZeros) + " values, found " + shape_text(shape));
    }
    values *= size;
  }
  return zeros(shape);
}

}  // namespace

std::vector<std::string> operation_names() {
  std::vector<std::string> names;
  names.reserve(kRecordable.size());
  for (const Recordable& one : kRecordable) names.emplace_back(one.name);
  return names;
}

std::string operation_sizes(const std::string& name) {
  const Recordable* const found = find_recordable(name);
  return found == nullptr ? "" : found->sizes;
}

std::vector<Design> recorded_calls(const Target& target, const SizedOperation& operation,
                                   std::optional<std::size_t> memory_limit) {
  const Recordable* const found = find_recordable(operation.name);
  if (found == nullptr) {
    throw TensorError(operation.name + ": there is no such tensor operation");
  }
  if (operation.sizes.size() != found->n_sizes) {
    throw TensorError(operation.name + ": expected sizes " + found->sizes + ", found " +
                      std::to_string(operation.sizes.size()));
  }
  std::vector<Tensor> operands;
  for (const Sizes& shape : found->shapes(operation.sizes)) {
    operands.push_back(zeros_of(operation.name, shape));
  }
  RecordingDevice recorder(target);
  Queue queue(recorder);
  queue.set_memory_limit(memory_limit);
  const Handle handle = found->submit(queue, std::move(operands), operation.type);
  const TensorReport& report = handle.result().report;
  if (report.ran_on == "cpu") throw DeviceError(report.operation + ": " + report.reason);
  return recorder.take();
}

}  // namespace wnpu::npu::ops
