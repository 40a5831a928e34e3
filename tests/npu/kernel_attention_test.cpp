#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include "npu/design/layer_abi.h"
#include "tests/npu/kernel_calls.h"
#include "tests/support/difference.h"
#include "tests/support/tile_layout.h"
#include "tests/support/tolerances.h"

using namespace wnpu::npu;
using namespace wnpu::npu::kernel;
using namespace wnpu::tests;

namespace {

constexpr AttentionShape kAttentionShape{16, 32, 64};  // 32 keys a block

// One head, all row-major; keys from `valid` on are padding up to whole blocks.
struct Head {
  std::vector<bfloat16> q, k, v;
  std::size_t valid;
};

Head random_head(std::size_t valid, double q_scale, std::uint64_t seed = 1) {
  const std::size_t keys =
      (valid + kAttentionShape.keys - 1) / kAttentionShape.keys * kAttentionShape.keys;
  return {random_bf16(kAttentionShape.queries * kAttentionShape.head, seed, q_scale),
          random_bf16(keys * kAttentionShape.head, seed + 1),
          random_bf16(keys * kAttentionShape.head, seed + 2), valid};
}

std::vector<bfloat16> slice(const std::vector<bfloat16>& from, std::size_t at, std::size_t n) {
  const auto begin = from.begin() + static_cast<std::ptrdiff_t>(at);
  return {begin, begin + static_cast<std::ptrdiff_t>(n)};
}

// Buffers of an AttentionState, filled with what a core's memory may hold before.
struct Sums {
  explicit Sums(AttentionShape s, float before = std::numeric_limits<float>::quiet_NaN())
      : reference(statistics_size(s), before),
        sum(statistics_size(s), before),
        acc(s.queries * s.head, before),
        weights(weights_size(s), to_bfloat16(before)) {}
  AttentionState state() { return {reference, sum, acc, weights}; }

  std::vector<float> reference, sum, acc;
  std::vector<bfloat16> weights;
};

std::vector<float> run_attention_kernel(const Head& head, Sums& sums,
                                        Rounding rounding = Rounding::nearest_even) {
  const AttentionState state = sums.state();
  flash_attention_start(kAttentionShape, state);
  const std::size_t block = kAttentionShape.keys * kAttentionShape.head;
  const auto q = to_tiles(head.q, kAttentionShape.head, kLeft);
  for (std::size_t at = 0, key = 0; at < head.k.size(); at += block, key += kAttentionShape.keys) {
    const auto k = to_tiles(slice(head.k, at, block), kAttentionShape.head, kLeft);
    const auto v = to_tiles(slice(head.v, at, block), kAttentionShape.head, kRight);
    const std::size_t valid = head.valid > key ? head.valid - key : 0;
    flash_attention_step(kAttentionShape, q, {k, v, valid}, state, rounding);
  }
  std::vector<bfloat16> y(sums.acc.size());
  flash_attention_finish(kAttentionShape, state, y, rounding);
  return to_floats(from_tiles(y, kAttentionShape.head, kResult));
}

std::vector<float> run_attention_kernel(const Head& head,
                                        Rounding rounding = Rounding::nearest_even) {
  Sums sums(kAttentionShape);
  return run_attention_kernel(head, sums, rounding);
}

double dot_product(const bfloat16* a, const bfloat16* b) {
  double sum = 0;
  for (std::size_t i = 0; i < kAttentionShape.head; ++i) {
    sum += static_cast<double>(to_float(a[i])) * static_cast<double>(to_float(b[i]));
  }
  return sum;
}

// Weights 2^(q.k) normalised, times v, in double.
std::vector<double> exact(const Head& head) {
  std::vector<double> y(head.q.size());
  for (std::size_t row = 0; row < kAttentionShape.queries; ++row) {
    std::vector<double> weight(head.valid);
    for (std::size_t key = 0; key < head.valid; ++key) {
      weight[key] =
          dot_product(&head.q[row * kAttentionShape.head], &head.k[key * kAttentionShape.head]);
    }
    const double largest = *std::ranges::max_element(weight);
    double sum = 0;
    for (double& w : weight) sum += w = std::exp2(w - largest);
    for (std::size_t i = 0; i < head.valid * kAttentionShape.head; ++i) {
      y[row * kAttentionShape.head + i % kAttentionShape.head] +=
          weight[i / kAttentionShape.head] / sum * static_cast<double>(to_float(head.v[i]));
    }
  }
  return y;
}

// A block of keys along the first query, so that their scores for it jump by hundreds.
void raise_block(Head& head, std::size_t first_key) {
  for (std::size_t i = 0; i < kAttentionShape.keys * kAttentionShape.head; ++i) {
    head.k[first_key * kAttentionShape.head + i] =
        to_bfloat16(to_float(head.q[i % kAttentionShape.head]) * 30.0f);
  }
}

// Numerator and denominator each carry the weights' relative error; then y is stored.
double worst_case(double largest_value) {
  return 2.02 * tolerance::kAttentionWeight * largest_value + tolerance::kBf16Rounding;
}

}  // namespace

TEST_CASE("flash attention: agrees with exact softmax for flat, usual and peaked scores") {
  for (const double q_scale : {0.0, 0.2, 1.0, 8.0, 100.0}) {
    CAPTURE(q_scale);
    const Head head = random_head(256, q_scale);
    const auto y = run_attention_kernel(head);
    const auto reference = exact(head);
    CHECK(max_abs_difference(y, reference) <= worst_case(1.0));
    CHECK(nmse(y, reference) <= tolerance::kAttentionNmse);
  }
}

TEST_CASE("flash attention: a whole Whisper head of 1500 keys, the last block partly padding") {
  Head head = random_head(1500, 1.0);
  REQUIRE(head.k.size() == 1504 * kAttentionShape.head);
  const auto reference = exact(head);
  const auto y = run_attention_kernel(head);
  MESSAGE("NMSE " << nmse(y, reference));
  CHECK(nmse(y, reference) <= tolerance::kAttentionNmse);

  // Padding may hold anything, NaN keys included, as long as values are finite.
  for (std::size_t i = 1500 * kAttentionShape.head; i < head.k.size(); ++i) {
    head.k[i] = bfloat16{0x7fc0};
    head.v[i] = to_bfloat16(1e30f);
  }
  CHECK(run_attention_kernel(head) == y);
}

TEST_CASE("flash attention: the running maximum copes with a block far above or below the last") {
  for (const std::size_t first_key : {0u, 32u, 64u}) {
    Head head = random_head(96, 1.0);
    raise_block(head, first_key);
    CHECK(max_abs_difference(run_attention_kernel(head), exact(head)) <= worst_case(1.0));
  }
}

TEST_CASE("flash attention: one valid key gives its value, no valid key gives zero") {
  const Head one = random_head(1, 5.0);
  const auto y = run_attention_kernel(one);
  for (std::size_t i = 0; i < y.size(); ++i)
    CHECK(y[i] == to_float(one.v[i % kAttentionShape.head]));
  Head none = random_head(32, 5.0);
  none.valid = 0;
  CHECK(run_attention_kernel(none) == std::vector<float>(y.size()));
}

TEST_CASE("flash attention: a row with NaN or infinite scores is NaN, and no other row differs") {
  const auto clean = run_attention_kernel(random_head(64, 1.0));
  const float infinity = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const float value : {infinity, -infinity, nan, -nan}) {
    Head head = random_head(64, 1.0);
    for (std::size_t i = 0; i < kAttentionShape.head; ++i) head.q[i] = to_bfloat16(value);
    const auto y = run_attention_kernel(head);
    CHECK(std::equal(y.begin() + 64, y.end(), clean.begin() + 64));
    CHECK(std::all_of(y.begin(), y.begin() + 64, [](float v) { return std::isnan(v); }));
  }
}

TEST_CASE("flash attention: rows do not influence each other, statistics included") {
  Head head = random_head(256, 1.0);
  Sums alone(kAttentionShape);
  const auto y = run_attention_kernel(head, alone);
  for (std::size_t i = 0; i < kAttentionShape.head;
       ++i) {  // raises its reference in block after block
    head.q[i] = to_bfloat16(to_float(head.q[i]) * 40.0f);
  }
  Sums beside(kAttentionShape);
  const auto y_beside = run_attention_kernel(head, beside);
  CHECK(beside.reference[0] > alone.reference[0]);
  CHECK(std::equal(y.begin() + 64, y.end(), y_beside.begin() + 64));
  CHECK(std::equal(alone.sum.begin() + 4, alone.sum.end(), beside.sum.begin() + 4));
  CHECK(
      std::equal(alone.reference.begin() + 4, alone.reference.end(), beside.reference.begin() + 4));
}

TEST_CASE("flash attention: scores beyond 2^21 saturate, as if they were equal") {
  Head head = random_head(64, 1.0);
  for (std::size_t i = 0; i < kAttentionShape.head; ++i) {
    head.q[i] = to_bfloat16(1e30f);
    for (std::size_t key = 0; key < 64;
         ++key) {  // two keys agree with the query, the others do not
      head.k[key * kAttentionShape.head + i] = to_bfloat16(key % 32 == 3 ? 1.0f : -1.0f);
    }
  }
  const auto y = run_attention_kernel(head);
  for (std::size_t i = 0; i < kAttentionShape.head; ++i) {
    const double mean =
        0.5 * (static_cast<double>(to_float(head.v[3 * kAttentionShape.head + i])) +
               static_cast<double>(to_float(head.v[35 * kAttentionShape.head + i])));
    CHECK(std::abs(static_cast<double>(y[i]) - mean) <= worst_case(1.0));
  }
}

TEST_CASE("flash attention: references follow slowly rising scores without losing a weight") {
  // Key by key the score of every query rises by 1/8 over hundreds of blocks' worth of headroom.
  Head head = random_head(1024, 0.0);
  for (std::size_t i = 0; i < head.q.size(); ++i) {
    head.q[i] = to_bfloat16(i % kAttentionShape.head < 2 ? 1.0f : 0.0f);
  }
  for (std::size_t key = 0; key < 1024; ++key) {  // whole part and eighths, both exact in bf16
    const std::size_t whole = key / 8;
    const std::size_t eighths = key % 8;
    head.k[key * kAttentionShape.head] = to_bfloat16(static_cast<float>(whole));
    head.k[key * kAttentionShape.head + 1] = to_bfloat16(static_cast<float>(eighths) / 8.0f);
  }
  CHECK(max_abs_difference(run_attention_kernel(head), exact(head)) <= worst_case(1.0));
}

TEST_CASE("flash attention: denormal queries, keys and values count as zero") {
  Head head = random_head(64, 1.0);
  std::ranges::fill(head.q, bfloat16{0x007f});
  const auto flat = run_attention_kernel(head);
  std::ranges::fill(head.q, bfloat16{});
  CHECK(run_attention_kernel(head) == flat);
  std::ranges::fill(head.v, bfloat16{0x007f});
  CHECK(run_attention_kernel(head) == std::vector<float>(flat.size()));
}

TEST_CASE("flash attention: the query scale makes powers of two out of the natural softmax") {
  CHECK(static_cast<double>(query_scale(64)) == doctest::Approx(1.4426950408889634 / 8));
}
