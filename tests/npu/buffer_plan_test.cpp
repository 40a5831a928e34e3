// Buffers that share memory: never two at once, never more than apart, and what is planned is what
// a device counts.
#include "npu/memory/buffer_plan.h"

#include <algorithm>
#include <vector>

#include <doctest/doctest.h>

#include "npu/buffer_count.h"
#include "npu/design/layer_design.h"
#include "npu/sim/sim_device.h"
#include "tests/support/random_matrix.h"

using namespace wnpu;  // NOLINT
using namespace wnpu::npu;

namespace {

std::size_t least_below(tests::Random& random, std::size_t n) {
  return std::min(n - 1,
                  static_cast<std::size_t>((random.uniform() + 1) / 2 * static_cast<double>(n)));
}

std::vector<BufferUse> random_uses(tests::Random& random) {
  std::vector<BufferUse> uses(1 + least_below(random, 20));
  for (BufferUse& use : uses) {
    use.bytes = 4 * (1 + least_below(random, 1000));
    use.first = least_below(random, 10);
    use.last = use.first + least_below(random, 5);
  }
  return uses;
}

bool overlap(const BufferUse& a, const BufferUse& b) {
  return a.first <= b.last && b.first <= a.last;
}

}  // namespace

TEST_CASE("buffer plan: random uses share where they may and nowhere else") {
  tests::Random random(30);
  for (int round = 0; round < 300; ++round) {
    const std::vector<BufferUse> uses = random_uses(random);
    const BufferPlan plan = plan_buffers(uses);
    std::size_t apart = 0;
    for (std::size_t i = 0; i < uses.size(); ++i) {
      apart += uses[i].bytes;
      CHECK(plan.buffers.at(plan.place[i]).bytes >= uses[i].bytes);
      for (std::size_t j = 0; j < i; ++j) {
        if (plan.place[i] == plan.place[j]) CHECK_FALSE(overlap(uses[i], uses[j]));
      }
    }
    CHECK(plan.apart_bytes == apart);
    CHECK(plan.bytes() <= apart);
    CHECK(plan.bytes() >= plan.least_bytes);
    CHECK(plan_buffers(uses).place == plan.place);
  }
}

TEST_CASE("buffer plan: what follows one after the other is one buffer") {
  const std::vector<BufferUse> uses{
      {"a", 100, 0, 0, 0}, {"b", 40, 0, 1, 1}, {"c", 80, 0, 2, 2}, {"all", 8, 0, 0, 2}};
  const BufferPlan plan = plan_buffers(uses);
  CHECK(plan.buffers.size() == 2);
  CHECK(plan.bytes() == 108);
  CHECK(plan.least_bytes == 108);
  CHECK(plan.apart_bytes == 228);
}

TEST_CASE("buffer plan: a use that ends before it begins is refused, and so is too low a limit") {
  CHECK_THROWS_AS(plan_buffers(std::vector<BufferUse>{{"x", 4, 0, 2, 1}}), std::invalid_argument);
  CHECK_NOTHROW(require_memory(std::nullopt, 1000, "work"));
  CHECK_NOTHROW(require_memory(1000, 1000, "work"));
  CHECK_THROWS_WITH_AS(require_memory(999, 1000, "work"),
                       "work: expected a memory limit of at least 1000 bytes, found 999",
                       DeviceError);
}

TEST_CASE("buffer plan: the device counts what was planned, while it is there and at its peak") {
  const auto device = open_sim_device();
  const auto program = device->load(gemm_design(device->target(), {256, 64, 256}));
  tests::Random random(31);
  for (int round = 0; round < 10; ++round) {
    const BufferPlan plan = plan_buffers(random_uses(random));
    device->reset_stats();
    {
      const DeviceBuffers buffers(plan, *program);
      CHECK(device->stats().buffer_bytes == plan.bytes());
    }
    CHECK(device->stats().buffer_bytes == 0);
    CHECK(device->stats().peak_buffer_bytes == plan.bytes());
  }
}
