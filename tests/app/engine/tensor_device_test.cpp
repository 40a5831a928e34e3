// The installed interface of tensor operations: what it gives is what npu/tensor gives, its errors
// are the engine's.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "app/engine/whisper_npu_tensor.hpp"
#include "npu/sim/sim_device.h"
#include "npu/tensor/queue.h"
#include "tests/support/random_matrix.h"

using namespace wnpu;  // NOLINT

namespace {

Tensor random_tensor(std::vector<std::size_t> shape, std::uint64_t seed) {
  std::size_t n = 1;
  for (const std::size_t size : shape) n *= size;
  return {std::move(shape), tests::random_vector(n, seed, 1)};
}

void check_same_tensor(const TensorHandle& found, const npu::ops::Handle& expected) {
  CHECK(found.result().value.shape == expected.result().value.shape);
  CHECK(found.result().value.values == expected.result().value.values);
  const TensorReport& report = found.result().report;
  const TensorReport& other = expected.result().report;
  CHECK(report.operation == other.operation);
  CHECK((report.ran_on == "cpu") == (other.ran_on == "cpu"));
  CHECK(report.reason == other.reason);
  CHECK(report.device == other.device);
  CHECK(report.is_simulated == other.is_simulated);
  CHECK(report.calls == other.calls);
  CHECK(report.modelled_ms == other.modelled_ms);
  CHECK(report.sent_bytes == other.sent_bytes);
  CHECK(report.fetched_bytes == other.fetched_bytes);
  CHECK(report.ddr_bytes == other.ddr_bytes);
  CHECK(report.memory_bytes == other.memory_bytes);
  CHECK(report.apart_bytes == other.apart_bytes);
  CHECK(report.bound.absolute == other.bound.absolute);
  CHECK(report.bound.relative == other.bound.relative);
  CHECK(report.bound.has_half_step == other.bound.has_half_step);
  CHECK(report.bound.magnitude == other.bound.magnitude);
  CHECK(report.bound.operands == other.bound.operands);
}

template <typename F>
std::optional<std::pair<ErrorCode, std::string>> error_of(const F& f) {
  try {
    f();
  } catch (const Error& error) {
    return {{error.code(), error.what()}};
  }
  return std::nullopt;
}

}  // namespace

TEST_CASE("tensor device: every operation is npu/tensor's, bits and report") {
  const Tensor a = random_tensor({20, 30}, 1);
  const Tensor b = random_tensor({30, 17}, 2);
  const Tensor x = random_tensor({9, 24}, 3);
  const Tensor wide = random_tensor({3, 100}, 4);  // softmax of it is the CPU's
  const Tensor q = random_tensor({2, 9, 16}, 5);
  const Tensor k = random_tensor({2, 11, 16}, 6);
  const Tensor v = random_tensor({2, 11, 16}, 7);
  const auto simulator = npu::open_sim_device();
  npu::ops::Queue queue(*simulator);
  TensorDevice device("sim", {.threads = 2});
  CHECK(device.is_simulated());
  CHECK(device.description() == simulator->description());
  check_same_tensor(device.matmul(a, b), queue.matmul(a, b));
  check_same_tensor(device.matmul(a, b, "int8"), queue.matmul(a, b, npu::ops::Type::int8));
  check_same_tensor(device.matmul(a, b, "int16"), queue.matmul(a, b, npu::ops::Type::int16));
  check_same_tensor(device.softmax(x), queue.softmax(x));
  check_same_tensor(device.softmax(wide), queue.softmax(wide));
  check_same_tensor(device.layer_norm(x), queue.layer_norm(x));
  check_same_tensor(device.gelu(x), queue.gelu(x));
  check_same_tensor(device.attention(q, k, v), queue.attention(q, k, v));
  check_same_tensor(device.attention(q, k, v, 0.5), queue.attention(q, k, v, {0.5}));
  device.set_memory_limit(60000);
  queue.set_memory_limit(60000);
  check_same_tensor(device.matmul(a, b), queue.matmul(a, b));
}

TEST_CASE("tensor device: handles outlive it, and copies are the same operation") {
  std::optional<TensorDevice> device(std::in_place, "sim");
  TensorDevice moved = std::move(*device);
  const TensorHandle handle = moved.gelu({{3}, {0, 1, 2}});
  const TensorHandle copy = handle;
  device.emplace("sim");
  moved = std::move(*device);
  copy.wait();
  CHECK(copy.ready());
  CHECK(&copy.result() == &handle.result());
  CHECK(handle.result().value.values[0] == 0);
}

TEST_CASE("tensor device: errors have the engine's classes and name the call") {
  TensorDevice device("sim");
  const auto odd = device.matmul({{2, 2}, {1, 2, 3, 4}}, {{3, 1}, {1, 2, 3}});
  auto error = error_of([&] { odd.result(); });
  REQUIRE(error);
  CHECK(error->first == ErrorCode::usage);
  CHECK(error->second.starts_with("matmul bf16 [2, 2] x [3, 1]: b: expected 2 rows"));
  CHECK(error == error_of([&] { odd.result(); }));  // and so again

  error = error_of([&] { device.matmul({}, {}, "fp8"); });
  REQUIRE(error);
  CHECK(error->first == ErrorCode::usage);
  CHECK(error->second == "type: expected bf16, int8 or int16, found fp8");

  device.set_memory_limit(10);
  error = error_of([&] { device.gelu({{3}, {0, 1, 2}}).result(); });
  REQUIRE(error);
  CHECK(error->first == ErrorCode::device);
  CHECK(error->second.starts_with("gelu [3]: "));

  error = error_of([] { TensorDevice("gpu"); });
  REQUIRE(error);
  CHECK(error->first == ErrorCode::usage);
  CHECK(error->second == "device: expected npu, npu:N or sim, found gpu");
  error = error_of([] { TensorDevice("sim", {.preset = "nonsense"}); });
  REQUIRE(error);
  CHECK(error->first == ErrorCode::device);
}

TEST_CASE("tensor device: a machine's NPU nodes are never none, and say why one is unusable") {
  const std::vector<NpuNode> nodes = npu_nodes();
  REQUIRE_FALSE(nodes.empty());
  for (const NpuNode& node : nodes) CHECK(node.usable == node.reason.empty());
  if (nodes.front().usable) return;
  const auto error = error_of([] { TensorDevice("npu"); });
  REQUIRE(error);
  CHECK(error->first == ErrorCode::device);
  CHECK(error->second.find(nodes.front().reason) != std::string::npos);
}
