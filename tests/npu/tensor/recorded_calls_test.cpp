// The calls that are recorded of sizes are those that a device is asked for when tensors of these
// sizes come, whatever is in them: else an XCLBIN would lack a stream.
#include "npu/tensor/recorded_calls.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/few_samples.h"
#include "tests/npu/tensor/tensor_checks.h"
#include "tests/support/device_around.h"
#include "tests/support/text.h"

using namespace wnpu;  // NOLINT
using namespace wnpu::npu::ops;
using tests::random_size;
using tests::random_tensor;

namespace {

// The simulator, and which Designs it was given.
class ListeningDevice final : public tests::DeviceAround {
 public:
  ListeningDevice() : DeviceAround(tests::open_simulator()) {}
  std::unique_ptr<npu::Program> load(const npu::Design& design) override {
    hashes.push_back(npu::design_hash(design));
    return device().load(design);
  }
  std::vector<std::uint64_t> hashes;
};

Handle run_recorded(Queue& queue, const SizedOperation& operation, std::uint64_t seed) {
  const std::vector<std::size_t>& n = operation.sizes;
  if (operation.name == "matmul") {
    return queue.matmul(random_tensor({n[0], n[1]}, seed, 3), random_tensor({n[1], n[2]}, seed + 1),
                        operation.type);
  }
  if (operation.name == "softmax") return queue.softmax(random_tensor(n, seed, 20));
  if (operation.name == "layer_norm") return queue.layer_norm(random_tensor(n, seed));
  if (operation.name == "gelu") return queue.gelu(random_tensor(n, seed, 5));
  return queue.attention(random_tensor({n[0], n[1], n[3]}, seed),
                         random_tensor({n[0], n[2], n[3]}, seed + 1),
                         random_tensor({n[0], n[2], n[3]}, seed + 2));
}

SizedOperation random_operation(tests::Random& random, std::size_t i) {
  const auto size = [&](std::size_t most) { return random_size(random, most); };
  switch (i % 5) {
    case 0:
      return {"matmul", {size(200), size(300), size(200)}, static_cast<Type>(i / 5 % 3)};
    case 1:
      return {"softmax", {size(300), size(32)}};
    case 2:
      return {"layer_norm", {size(200), 16 * size(20)}};
    case 3:
      return {"gelu", {size(20000)}};
    default:
      return {"attention", {size(4), size(100), size(100), size(64)}};
  }
}

std::string call_refusal(const SizedOperation& operation, std::optional<std::size_t> limit = {}) {
  return wnpu::tests::message_of<std::runtime_error>(
      [&] { recorded_calls(npu::npu1(), operation, limit); });
}

}  // namespace

TEST_CASE("recorded calls: those that random tensors of these sizes need, and no other") {
  tests::Random random(77);
  for (std::size_t i = 0; i < 60 / tests::kSampleShare; ++i) {
    const SizedOperation operation = random_operation(random, i);
    INFO(i, ": ", operation.name, " ", shape_text(operation.sizes));
    // Half of them cut into calls by a limit, which may be too small.
    const std::optional<std::size_t> limit =
        i % 2 == 0 ? std::nullopt : std::optional<std::size_t>(200000);
    ListeningDevice device;
    Queue queue(device);
    queue.set_memory_limit(limit);
    const std::string error =
        tests::message_of<npu::DeviceError>([&] { run_recorded(queue, operation, i).result(); });
    if (!error.empty()) {
      CHECK(call_refusal(operation, limit) == error);
      continue;
    }
    std::vector<std::uint64_t> recorded;
    for (const npu::Design& design : recorded_calls(device.target(), operation, limit)) {
      recorded.push_back(npu::design_hash(design));
    }
    CHECK(recorded == device.hashes);
  }
}

TEST_CASE("recorded calls: sizes that make no sense are refused, and what no core does") {
  CHECK(call_refusal({"norm", {1}}) == "norm: there is no such tensor operation");
  CHECK(call_refusal({"matmul", {1, 2}}) == "matmul: expected sizes M,K,N, found 2");
  CHECK(call_refusal({"gelu", {0}}).find("expected sizes of at least 1") != std::string::npos);
  CHECK(call_refusal({"gelu", {~std::size_t{0}}}).find("at most") != std::string::npos);
  CHECK(call_refusal({"softmax", {3, 100}}).find("rows of up to 32") != std::string::npos);
  CHECK(call_refusal({"gelu", {100}}, 10).starts_with("gelu [100]: "));
  CHECK(operation_sizes("attention") == "HEADS,QUERIES,KEYS,WIDTH");
}
