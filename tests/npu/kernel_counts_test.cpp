// The counting instantiation: the same results, and the instructions that the sources spell out.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "npu/design/kernel_table.h"
#include "npu/design/resident.h"
#include "npu/kernel/issue_limits.h"
#include "npu/kernel/op_counts.h"
#include "npu/kernel/tile_kernels.h"
#include "tests/npu/kernel_calls.h"
#include "tests/support/tile_layout.h"

using namespace wnpu::npu;
using namespace wnpu::npu::kernel;
using namespace wnpu::tests;

namespace {

template <typename F>
OpCounts counts_of(F call) {
  op_counts() = {};
  call(counting_kernels());
  return op_counts();
}

// A step of one head whose references have settled; `q_scale` 0 makes all scores equal.
struct Attention {
  explicit Attention(double q_scale)
      : reference(statistics_size(shape)),
        sum(statistics_size(shape)),
        acc(shape.queries * shape.head),
        weights(weights_size(shape)),
        q(random_bf16(shape.queries * shape.head, 1, q_scale)),
        kv(random_bf16(shape.keys * shape.head, 2)) {
    flash_attention_start(shape, {reference, sum, acc, weights});
  }
  OpCounts step() {
    const AttentionSums sums{reference.data(), sum.data(), acc.data(), weights.data()};
    return counts_of([&](const TileKernels& k) {
      k.attention_step(shape, {q.data(), kv.data(), kv.data(), shape.keys}, sums,
                       Rounding::nearest_even);
    });
  }

  AttentionShape shape{48, 32, 64};
  std::vector<float> reference, sum, acc;
  std::vector<bfloat16> weights, q, kv;
};

}  // namespace

TEST_CASE("counting kernels: a product's instructions by arithmetic on its shape") {
  for (const GemmShape s : {GemmShape{64, 64, 64}, {16, 128, 48}, {48, 32, 64}}) {
    const std::vector<bfloat16> a(s.m * s.k), b(s.k * s.n);
    std::vector<float> c(s.m * s.n);
    const OpCounts n =
        counts_of([&](const TileKernels& k) { k.gemm_bf16(s, a.data(), b.data(), c.data()); });
    CHECK(n.mac == s.m * s.k * s.n / 128);
    // Blocks of 4x4 instructions: 8 operands of 512 bits for 16 products; sums once in and out.
    const std::uint64_t results = s.m * s.n / 16;
    CHECK(n.load == n.mac + results * 2);
    CHECK(n.store == results * 2);
    CHECK(n.shuffle == results * 2);
    CHECK(n.scalar + n.alu + n.upshift + n.downshift == 0);
    CHECK(issue_bound(n).unit == "products");
  }
  const std::vector<std::int8_t> a(8192), b(8192);
  std::vector<std::int32_t> c(4096);
  const OpCounts n = counts_of([&](const TileKernels& k) {
    k.gemm_int8({64, 128, 64}, a.data(), b.data(), c.data());
  });
  CHECK(n.mac == 64 * 128 * 64 / 256);
  CHECK(issue_bound(n).unit == "products");
}

TEST_CASE("counting kernels: attention has no scalar work but one branch a strip of queries") {
  Attention attention(0.25);
  const OpCounts first = attention.step();  // raises every reference
  const OpCounts n = attention.step();
  CHECK(first.mac > 2 * n.mac);
  const std::uint64_t scores = attention.shape.queries * attention.shape.keys;
  CHECK(n.scalar == attention.shape.queries / kStripRows);
  CHECK(n.mac >= 2 * scores * 64 / 128);
  // 32 scores take two sums and four products for their weights, and one for the weights' sum.
  CHECK(n.mac - 2 * scores * 64 / 128 <= scores * 7 / 32 + 2 * 48 / 8 + 1);
  CHECK(n.downshift == scores * 3 / 32);
  const IssueBound bound = issue_bound(n);
  MESSAGE("a step of 48x32x64: ", bound.cycles, " cycles, bound by ", std::string(bound.unit));
  CHECK(bound.unit == "products");
  CHECK(bound.cycles < 1.3 * static_cast<double>(scores));
}

TEST_CASE("counting kernels: every load and store lies on a vector in a core's buffers") {
  alignas(32) static std::byte memory[65536];
  const auto at = [&]<typename T>(std::size_t offset, T) {
    return reinterpret_cast<T*>(memory + offset);
  };
  auto* const a = at(kPortA, bfloat16{});
  auto* const c = at(kAccumulators, 0.0f);
  auto* const y = at(kPortC, bfloat16{});
  auto* const bias = at(kParameters, 0.0f);
  const auto rounding = Rounding::nearest_even;
  const AttentionSums sums{at(kAttentionReference, 0.0f), at(kAttentionSum, 0.0f), c,
                           at(kAttentionWeights, bfloat16{})};
  const OpCounts n = counts_of([&](const TileKernels& k) {
    for (const std::size_t width : {64u, 48u, 40u}) {  // layer_abi.cpp: widths of a state's tile
      k.gemm_bf16({64, 64, width}, a, at(kPortB, bfloat16{}), c);
      k.bias_bf16({64, width}, c, bias, y, rounding);
      k.bias_residual_bf16({64, width}, c, bias, y, rounding);
    }
    k.gemm_int8({64, 128, 64}, at(kPortA, std::int8_t{}), at(kPortB, std::int8_t{}),
                at(kAccumulators, std::int32_t{}));
    k.dequantise({64, 64}, at(kAccumulators, std::int32_t{}), at(kRowScales, 0.0f),
                 bias + kParameterFloats, c);
    k.bias_gelu({64, 64}, c, bias, y, rounding);
    k.layer_norm_bf16({4, 512}, a, y, rounding);
    k.quantise({4, 512}, a, at(kPortC, std::int8_t{}), at(kRowScales, 0.0f));
    k.attention_start({48, 32, 64}, sums);
    k.fill(4096, 0.0f, c);
    k.copy_floats(2 * kParameterFloats, at(kPortB, 0.0f), bias);
    k.copy_floats(kMaxTileRows, at(kPortA, 0.0f), at(kRowScales, 0.0f));
    k.copy(4096, a, y);
    k.widen(512, a, c);
    k.attention_step({48, 32, 64}, {y, a, a + 2048, 29}, sums, rounding);
    k.attention_finish({48, 32, 64}, sums, y, rounding);
  });
  CHECK(n.load > 10000);
  CHECK(n.misaligned == 0);
  const OpCounts off = counts_of([&](const TileKernels& k) {
    k.bias_bf16({4, 8}, c + 4, bias, y, rounding);
  });
  CHECK(off.misaligned == 2);
}

TEST_CASE("counting kernels: the same bits as the others") {
  const TileShape s{16, 32};
  const auto c = random_vector(s.m * s.n, 1, 4.0);
  const auto b = random_vector(s.n, 2);
  std::vector<bfloat16> counted(c.size()), plain(c.size());
  const auto rounding = Rounding::nearest_even;
  counting_kernels().bias_gelu(s, c.data(), b.data(), counted.data(), rounding);
  baseline_kernels()->bias_gelu(s, c.data(), b.data(), plain.data(), rounding);
  CHECK(counted == plain);
}

TEST_CASE("issue bound: the busiest unit, two loads a cycle") {
  CHECK(issue_bound({}).cycles == 0);
  CHECK(issue_bound({.mac = 10, .load = 19}).cycles == 10);
  CHECK(issue_bound({.mac = 10, .load = 22}).cycles == 11);
  CHECK(issue_bound({.mac = 10, .load = 22}).unit == "loads");
  CHECK(issue_bound({.alu = 4, .shuffle = 5, .upshift = 3}).cycles == 12);
  CHECK(issue_bound({.store = 4, .downshift = 5}).cycles == 9);
  CHECK(issue_bound({.store = 4, .scalar = 5}).unit == "scalar unit");
}

TEST_CASE("counted table: every rate says its counts, and none beats the hardware") {
  const KernelTable& table = counted_kernel_table();
  CHECK(table.name == "counted");
  CHECK(table.bf16_mac_per_cycle.value <= 128);
  CHECK(table.int8_mac_per_cycle.value <= 256);
  for (const Rate& rate : {table.bf16_mac_per_cycle, table.int8_mac_per_cycle, table.softmax_cycles,
                           table.layer_norm_cycles, table.gelu_cycles, table.epilogue_cycles,
                           table.quantise_cycles, table.dequantise_cycles}) {
    MESSAGE(rate.value, ": ", std::string(rate.source));
    CHECK(rate.provenance == Provenance::counted);
    CHECK(rate.source.find(" products, ") != std::string_view::npos);
    CHECK(rate.source.find(" cycles by ") != std::string_view::npos);
  }
}
