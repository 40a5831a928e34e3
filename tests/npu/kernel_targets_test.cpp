// Every SIMD target gives the same bits, and so does every thread.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "npu/kernel/tile_kernels.h"
#include "tests/npu/kernel_calls.h"
#include "tests/support/tile_layout.h"

using namespace wnpu::npu;
using namespace wnpu::npu::kernel;
using namespace wnpu::tests;

namespace {

using Bytes = std::vector<std::byte>;

template <typename T>
void append(Bytes& to, const std::vector<T>& values) {
  const auto* begin = reinterpret_cast<const std::byte*>(values.data());
  to.insert(to.end(), begin, begin + values.size() * sizeof(T));
}

Bytes products(const TileKernels& t) {
  const GemmShape s{16, 64, 32};
  auto c = random_vector(s.m * s.n, 1);
  std::vector<std::int32_t> ci(s.m * s.n, -3);
  t.gemm_bf16(s, random_bf16(s.m * s.k, 2).data(), random_bf16(s.k * s.n, 3).data(), c.data());
  t.gemm_int8(s, random_int8(s.m * s.k, 4).data(), random_int8(s.k * s.n, 5).data(), ci.data());
  Bytes bytes;
  append(bytes, c);
  append(bytes, ci);
  std::vector<float> y(s.m * s.n);
  const auto row = random_vector(s.m, 6);
  const auto column = random_vector(s.n, 7);
  t.dequantise({s.m, s.n}, ci.data(), row.data(), column.data(), y.data());
  append(bytes, y);
  return bytes;
}

Bytes epilogues(const TileKernels& t, Rounding rounding) {
  const TileShape s{16, 32};
  const auto c = random_vector(s.m * s.n, 1, 4.0);
  const auto b = random_vector(s.n, 2);
  std::vector<bfloat16> y(c.size());
  Bytes bytes;
  t.bias_bf16(s, c.data(), b.data(), y.data(), rounding);
  append(bytes, y);
  t.bias_gelu(s, c.data(), b.data(), y.data(), rounding);
  append(bytes, y);
  t.bias_residual_bf16(s, c.data(), b.data(), y.data(), rounding);
  append(bytes, y);
  return bytes;
}

Bytes rows(const TileKernels& t, Rounding rounding) {
  const RowsShape s{3, 384};
  const auto x = random_vector(s.rows * s.width, 1, 3.0);
  const auto xb = random_bf16(s.rows * s.width, 2);
  std::vector<bfloat16> y(x.size());
  std::vector<std::int8_t> q(x.size());
  std::vector<float> scale(s.rows);
  Bytes bytes;
  t.layer_norm_bf16(s, xb.data(), y.data(), rounding);
  append(bytes, y);
  t.quantise(s, xb.data(), q.data(), scale.data());
  append(bytes, q);
  append(bytes, scale);
  return bytes;
}

Bytes attention(const TileKernels& t, Rounding rounding) {
  const AttentionShape s{16, 48, 64};
  std::vector<float> reference(statistics_size(s)), sum(statistics_size(s));
  std::vector<float> acc(s.queries * s.head);
  std::vector<bfloat16> weights(weights_size(s));
  std::vector<bfloat16> y(acc.size());
  flash_attention_start(s, {reference, sum, acc, weights});
  const AttentionSums sums{reference.data(), sum.data(), acc.data(), weights.data()};
  const auto q = random_bf16(s.queries * s.head, 1);
  for (std::uint64_t block = 0; block < 3; ++block) {
    const auto k = random_bf16(s.keys * s.head, 10 + block, 1.0 + 3.0 * static_cast<double>(block));
    const auto v = random_bf16(s.keys * s.head, 20 + block);
    t.attention_step(s, {q.data(), k.data(), v.data(), block == 2 ? 29u : 48u}, sums, rounding);
  }
  t.attention_finish(s, sums, y.data(), rounding);
  Bytes bytes;
  append(bytes, reference);
  append(bytes, sum);
  append(bytes, acc);
  append(bytes, y);
  return bytes;
}

Bytes moves(const TileKernels& t) {
  constexpr std::size_t kNumbers = 96;
  const AttentionShape s{16, 48, 64};
  const auto x = random_vector(kNumbers, 1);
  const auto xb = random_bf16(kNumbers, 2);
  std::vector<float> filled(kNumbers, 1.0f), copied(kNumbers), wide(kNumbers);
  std::vector<bfloat16> narrow(kNumbers), weights(weights_size(s));
  std::vector<float> reference(statistics_size(s)), sum(statistics_size(s), 1.0f);
  std::vector<float> acc(s.queries * s.head, 1.0f);
  t.fill(kNumbers, -0.75f, filled.data());
  t.copy_floats(kNumbers, x.data(), copied.data());
  t.copy(kNumbers, xb.data(), narrow.data());
  t.widen(kNumbers, xb.data(), wide.data());
  t.attention_start(s, {reference.data(), sum.data(), acc.data(), weights.data()});
  CHECK(filled == std::vector<float>(kNumbers, -0.75f));
  CHECK(copied == x);
  CHECK(narrow == xb);
  CHECK(wide == to_floats(xb));
  CHECK(sum == std::vector<float>(sum.size()));
  CHECK(acc == std::vector<float>(acc.size()));
  Bytes bytes;
  append(bytes, reference);
  append(bytes, wide);
  return bytes;
}

}  // namespace

TEST_CASE("tile kernels: AVX2 and baseline code give the same bits") {
  if (avx2_kernels() == nullptr) {
    MESSAGE("SKIP: this machine has no AVX2");
    return;
  }
  REQUIRE(avx2_kernels() != baseline_kernels());
  const auto same = [](const Bytes& a, const Bytes& b) { return a == b; };
  CHECK(same(products(*baseline_kernels()), products(*avx2_kernels())));
  CHECK(same(moves(*baseline_kernels()), moves(*avx2_kernels())));
  for (const Rounding rounding : {Rounding::nearest_even, Rounding::truncate}) {
    CHECK(same(epilogues(*baseline_kernels(), rounding), epilogues(*avx2_kernels(), rounding)));
    CHECK(same(rows(*baseline_kernels(), rounding), rows(*avx2_kernels(), rounding)));
    CHECK(same(attention(*baseline_kernels(), rounding), attention(*avx2_kernels(), rounding)));
  }
}

TEST_CASE("tile kernels: the best target of the machine is the one that runs") {
#ifdef __x86_64__
  const bool has_avx2 = __builtin_cpu_supports("avx2") != 0;
#else
  const bool has_avx2 = false;
#endif
  CHECK(std::string_view(array_kernels().name) == (has_avx2 ? "avx2" : "baseline"));
}

TEST_CASE("tile kernels: threads running side by side, rounding differently, do not meet") {
  const TileKernels& t = *baseline_kernels();
  const Bytes nearest = attention(t, Rounding::nearest_even);
  const Bytes truncated = attention(t, Rounding::truncate);
  CHECK_FALSE(nearest == truncated);
  Bytes in_threads[4];
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < 4; ++i) {
    threads.emplace_back([&t, i, &result = in_threads[i]] {
      result = attention(t, i % 2 ? Rounding::truncate : Rounding::nearest_even);
    });
  }
  for (auto& thread : threads) thread.join();
  for (std::size_t i = 0; i < 4; ++i) CHECK((in_threads[i] == (i % 2 ? truncated : nearest)));
}
