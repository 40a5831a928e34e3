// The data memory of a core: what kernels need has a place of its own.
#include <algorithm>
#include <string>

#include <doctest/doctest.h>

#include "npu/design/layer_abi.h"
#include "npu/design/resident.h"
#include "npu/kernel/kernels.h"

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
  CHECK(kCoreDataEnd + layout.stack_bytes <= npu1().core_memory_bytes);
}
