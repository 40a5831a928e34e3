// The data memory of a core: what kernels need has a place of its own.
#include <algorithm>
#include <map>
#include <set>
#include <string>

#include <doctest/doctest.h>

#include "npu/design/layer_abi.h"
#include "npu/design/resident.h"
#include "npu/kernel/tile_shapes.h"

using namespace wnpu::npu;

TEST_CASE("core memory: what attention keeps beside its sums lies in the accumulators") {
  const kernel::AttentionShape shape{kMaxQueries, kernel::kMaxKeys, kHeadWidth};
  CHECK(kMaxQueries == kQueries);
  CHECK(kAttentionReference - kAccumulators == shape.queries * shape.head * sizeof(float));
  CHECK(kStatisticsBytes == kernel::statistics_size(shape) * sizeof(float));
  CHECK(kAttentionEnd - kAttentionWeights == kernel::weights_size(shape) * sizeof(bfloat16));
  const CoreLayout layout = core_layout();
  const auto accumulators =
      std::ranges::find(layout.buffers, std::string("accumulators"), &CoreBuffer::name);
  REQUIRE(accumulators != layout.buffers.end());
  CHECK(accumulators->offset == kAccumulators);
  CHECK(kAttentionEnd <= accumulators->offset + accumulators->bytes);
}

TEST_CASE("core memory: no tables, and 64 KB hold buffers and stack") {
  const CoreLayout layout = core_layout();
  CHECK(layout.table_bytes == 0);
  std::size_t bytes = layout.stack_bytes;
  for (const CoreBuffer& b : layout.buffers) {
    CHECK(b.offset + b.bytes * static_cast<std::size_t>(b.depth) <= npu1().core_memory_bytes);
    bytes += b.bytes * static_cast<std::size_t>(b.depth);
  }
  CHECK(bytes <= npu1().core_memory_bytes);
}

TEST_CASE("core memory: A, B and accumulators have a bank each, and nothing lies in two") {
  std::map<std::size_t, std::string> owner;
  for (const CoreBuffer& b : core_layout().buffers) {
    const std::size_t bank = b.offset / kBankBytes;
    const std::size_t last = b.offset + b.bytes * static_cast<std::size_t>(b.depth) - 1;
    INFO(b.name);
    CHECK(last / kBankBytes == bank);
    if (bank == 0) continue;
    CHECK(owner.emplace(bank, b.name).second);
  }
  CHECK(owner.size() == 3);
}

TEST_CASE("core locks: two a port and one for the headers, all different and in a core's 16") {
  const CoreLayout layout = core_layout();
  std::set<int> ids{layout.header_lock};
  for (const PortLocks& locks : layout.locks) {
    ids.insert(locks.free);
    ids.insert(locks.full);
  }
  CHECK(ids.size() == 2 * kPorts + 1);
  CHECK(*ids.begin() >= 0);
  CHECK(*ids.rbegin() < npu1().core_dma.locks);
}
