// Handles: any number at once, taken in any order; errors come from the handle, and only from it.
#include <algorithm>
#include <array>
#include <string>

#include <doctest/doctest.h>

#include "tests/npu/tensor/tensor_checks.h"
#include "tests/support/text.h"

using namespace wnpu;  // NOLINT
using namespace wnpu::npu::ops;
using tests::open_simulator;
using tests::random_tensor;

namespace {

// An operation of each kind, the i-th of its sort.
Handle hand_in(Queue& queue, std::size_t i) {
  const std::size_t n = 20 + i;
  switch (i % 5) {
    case 0:
      return queue.matmul(random_tensor({n, 30}, i), random_tensor({30, 40}, i + 1), Type::int16);
    case 1:
      return queue.softmax(random_tensor({n, 12}, i));
    case 2:
      return queue.layer_norm(random_tensor({n, 48}, i));
    case 3:
      return queue.gelu(random_tensor({n, 50}, i));
    default:
      return queue.attention(random_tensor({n, 16}, i), random_tensor({33, 16}, i + 1),
                             random_tensor({33, 16}, i + 2));
  }
}

std::string handle_error(const Handle& handle) {
  return wnpu::tests::message_of<std::runtime_error>([&] { handle.result(); });
}

// Five operations on a device whose launch `failure.launch` fails: the one of that launch has the
// error, the others and the next have none, and no buffer is left.
void check_failure(npu::InjectedFailure failure) {
  const auto device = open_simulator(failure);
  Queue queue(*device);
  std::vector<Handle> handles;
  for (std::size_t i = 0; i < 5; ++i) handles.push_back(hand_in(queue, i));
  // The first, in int16, is five calls, the others are one.
  const std::size_t failing = failure.launch < 5 ? 0 : failure.launch - 4;
  for (std::size_t i = 0; i < handles.size(); ++i) {
    const std::string error = handle_error(handles[i]);
    CHECK(error.empty() == (i != failing));
    if (i != failing) continue;
    CHECK(error.find("simulated NPU: run 1 of 1: ") != std::string::npos);
    CHECK(error.find('[') < error.find("simulated NPU"));  // the call and its sizes first
  }
  CHECK(handle_error(hand_in(queue, failing)).empty());
  CHECK(device->stats().buffer_bytes == 0);
}

}  // namespace

TEST_CASE("tensor queue: many handles at once, waited for in any order, have the same bits") {
  constexpr std::size_t kMany = 15;
  const auto device = open_simulator();
  std::vector<std::vector<float>> alone;
  for (std::size_t i = 0; i < kMany; ++i) {
    Queue queue(*device);
    alone.push_back(hand_in(queue, i).result().value.values);
  }
  tests::Random random(29);
  for (int round = 0; round < 3; ++round) {
    Queue queue(*device);
    std::vector<std::pair<std::size_t, Handle>> handles;
    for (std::size_t i = 0; i < kMany; ++i) handles.emplace_back(i, hand_in(queue, i));
    for (std::size_t i = kMany; i > 1; --i) {
      const auto other =
          static_cast<std::size_t>((random.uniform() + 1) / 2 * static_cast<double>(i));
      std::swap(handles[i - 1], handles[other]);
    }
    for (const auto& [i, handle] : handles) {
      handle.wait();
      CHECK(handle.ready());
      CHECK(handle.result().value.values == alone[i]);
    }
  }
}

TEST_CASE("tensor queue: a handle outlives its queue, which finishes what was handed in") {
  const auto device = open_simulator();
  std::vector<Handle> handles;
  {
    Queue queue(*device);
    for (std::size_t i = 0; i < 10; ++i) handles.push_back(hand_in(queue, i));
  }
  for (const Handle& handle : handles) {
    CHECK(handle.ready());
    CHECK(!handle.result().value.values.empty());
  }
}

TEST_CASE("tensor queue: a device that fails at any call fails that operation alone") {
  for (std::size_t launch = 0; launch < 9; ++launch) {
    check_failure({npu::InjectedFailure::Kind::command_error, launch});
    check_failure({npu::InjectedFailure::Kind::timeout, launch});
  }
}

TEST_CASE("tensor queue: operands that make no sense are the handle's error, by name and size") {
  const auto device = open_simulator();
  Queue queue(*device);
  const Tensor x = random_tensor({3, 4}, 1);
  CHECK(handle_error(queue.matmul(x, x)) ==
        "matmul bf16 [3, 4] x [3, 4]: b: expected 4 rows, as many as a has columns, found 3");
  CHECK(handle_error(queue.matmul(random_tensor({2, 3, 4}, 1), x)) ==
        "matmul bf16 [2, 3, 4] x [3, 4]: a: expected 2 dimensions, found 3");
  CHECK(handle_error(queue.softmax({{}, {}})) ==
        "softmax []: x: expected 1 to 32 dimensions, found 0");
  CHECK(handle_error(queue.gelu({{2, 0}, {}})) ==
        "gelu [2, 0]: x: expected sizes of at least 1, found [2, 0]");
  CHECK(handle_error(queue.layer_norm({{2, 3}, {1, 2}})) ==
        "layer_norm [2, 3]: x: expected as many values as [2, 3] has, found 2");
  const std::size_t huge = std::size_t{1} << 32U;  // whose product overflows to 0
  CHECK(handle_error(queue.gelu({{huge, huge}, {}})).find("as many values as") !=
        std::string::npos);
  CHECK(handle_error(queue.attention(x, random_tensor({3, 5}, 1), x)) ==
        "attention [3, 4] to [3, 5]: k: expected the heads and width of q, found [3, 5]");
  CHECK(handle_error(queue.attention(x, x, random_tensor({2, 4}, 1))) ==
        "attention [3, 4] to [3, 4]: v: expected [3, 4] as k, found [2, 4]");
  CHECK(handle_error(queue.softmax(x)).empty());
}

TEST_CASE("tensor queue: what a report says was done, the device counted") {
  const auto device = open_simulator();
  Queue queue(*device);
  for (std::size_t i = 0; i < 5; ++i) {
    const Handle handle = hand_in(queue, i);
    const TensorReport& report = handle.result().report;
    const npu::RunStats stats = device->stats();
    CHECK(report.calls == stats.launches);
    CHECK(report.memory_bytes == stats.peak_buffer_bytes);
    CHECK(stats.buffer_bytes == 0);
    CHECK(report.modelled_ms == stats.modelled_ms);
    CHECK(report.modelled_ms > 0);
    CHECK(report.ddr_bytes == stats.ddr_read_bytes + stats.ddr_write_bytes);
    CHECK(report.is_simulated);
    CHECK(report.device == device->description());
    CHECK(report.memory_bytes <= report.apart_bytes);
  }
}
