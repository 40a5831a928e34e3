// How fast the tile kernels run on this host, which bounds the simulator. Not in the default suite:
//   npu_tests --test-case="*speed of the tile kernels*" --no-skip
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "tests/npu/kernel_calls.h"
#include "tests/support/tile_layout.h"

using namespace wnpu::npu;
using namespace wnpu::npu::kernel;
using namespace wnpu::tests;

namespace {

// Seconds a call, the best of 20 batches.
template <typename F>
double seconds(F call) {
  constexpr int kCalls = 50;
  double best = 1e9;
  for (int batch = 0; batch < 20; ++batch) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < kCalls; ++i) call();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    best = std::min(best, took.count() / kCalls);
  }
  return best;
}

void report(std::string_view kernel, double operations, std::string_view unit, double time) {
  std::ostringstream line;
  line << kernel << " (" << array_kernels().name << ", one core): " << operations / time * 1e-9
       << ' ' << unit;
  MESSAGE(line.str());
}

constexpr double kElements = 4096;

}  // namespace

TEST_CASE("speed of the tile kernels: products and attention" * doctest::skip()) {
  const auto a = random_bf16(4096, 1);
  auto c = random_vector(4096, 2);
  report("gemm_bf16 64x64x64", 2.0 * 64 * 64 * 64, "GFLOP/s", seconds([&] {
           gemm_bf16({64, 64, 64}, a, a, c);
         }));
  const auto ai = random_int8(6144, 3);
  std::vector<std::int32_t> ci(4096);
  report("gemm_int8 64x96x64", 2.0 * 64 * 96 * 64, "GOP/s", seconds([&] {
           gemm_int8({64, 96, 64}, ai, ai, ci);
         }));
  const auto q = random_bf16(3072, 4, 0.2);
  const auto kv = random_bf16(2048, 5);
  std::vector<float> reference(192), sum(192), acc(3072);
  std::vector<bfloat16> weights(256);
  const AttentionState state{reference, sum, acc, weights};
  flash_attention_start({48, 32, 64}, state);
  report("flash_attention_step 48x32x64", 4.0 * 48 * 32 * 64, "GFLOP/s", seconds([&] {
           flash_attention_step({48, 32, 64}, q, {kv, kv, 32}, state, Rounding::nearest_even);
         }));
}

TEST_CASE("speed of the tile kernels: element by element" * doctest::skip()) {
  const auto c = random_vector(4096, 1);
  const auto b = random_vector(64, 2);
  const auto x = random_bf16(4096, 3);
  std::vector<bfloat16> y(4096);
  std::vector<float> f(4096), scale(8);
  std::vector<std::int32_t> ci(4096, 7);
  std::vector<std::int8_t> q(4096);
  const std::string_view unit = "G elements/s";
  const auto rounding = Rounding::nearest_even;
  report("bias", kElements, unit, seconds([&] { bias({64, 64}, c, b, y, rounding); }));
  report("bias_gelu", kElements, unit, seconds([&] { bias_gelu({64, 64}, c, b, y, rounding); }));
  report("bias_residual", kElements, unit, seconds([&] {
           bias_residual({64, 64}, c, b, y, rounding);
         }));
  report("dequantise", kElements, unit, seconds([&] { dequantise({64, 64}, ci, {b, b}, f); }));
  report("layer_norm_rows", kElements, unit, seconds([&] {
           layer_norm_rows({8, 512}, x, y, rounding);
         }));
  report("quantise_rows", kElements, unit, seconds([&] { quantise_rows({8, 512}, x, q, scale); }));
}
