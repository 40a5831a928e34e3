// Blocks searched for a product: never a larger error than the nearest have, in every q type, and
// what a file keeps.
#include "models/quantize/block_search.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <doctest/doctest.h>

#include "models/files/tensor_layout.h"
#include "models/quantize/rounding_search.h"
#include "models/quantize/value_blocks.h"
#include "tests/few_samples.h"
#include "tests/models/quantize/related_inputs.h"

using namespace wnpu::models;
using namespace wnpu::tests;

namespace {

constexpr std::array kSearchedTypes{DType::q4_0, DType::q4_1, DType::q5_0, DType::q5_1,
                                    DType::q8_0};

struct BlockErrors {
  double nearest = 0;
  double searched = 0;
  std::size_t n_worse = 0;  // rows
};

BlockErrors block_errors(DType type, std::size_t cols, std::uint64_t seed) {
  ThreadPool pool(2);
  constexpr std::size_t kRows = 9;
  const Matrix weights = random_matrix(kRows, cols, seed, std::pow(10.0, double(seed % 3) - 2));
  const Matrix moments = second_moments(pool, related_inputs(300, cols, 10 * seed).view());
  const Matrix nearest = rounded_to_nearest(weights.view(), type, "w");
  const StoredValues stored = blocks_for_product(pool, {weights.view(), moments.view()}, type, "w");
  const Matrix found = read_back(stored, type, kRows, cols);
  BlockErrors errors;
  for (std::size_t r = 0; r < kRows; ++r) {
    const double before = row_error(weights, nearest, moments, r);
    const double after = row_error(weights, found, moments, r);
    errors.n_worse += after > before * 1.0001 ? 1 : 0;
    errors.nearest += before;
    errors.searched += after;
  }
  return errors;
}

}  // namespace

TEST_CASE("block search: no row is worse than with the nearest blocks, most are far better") {
  for (const DType type : kSearchedTypes) {
    for (std::uint64_t seed = 1; seed <= (kFewSamples ? 2 : 6); ++seed) {
      CAPTURE(dtype_name(type));
      CAPTURE(seed);
      const BlockErrors errors = block_errors(type, kQuantBlock * seed, seed);
      CHECK(errors.n_worse == 0);
      CHECK(errors.searched < errors.nearest * 0.6);
    }
  }
}

TEST_CASE("block search: the same bytes on any number of threads") {
  ThreadPool one(1);
  ThreadPool three(3);
  const Matrix weights = random_matrix(7, 96, 5);
  const Matrix moments = second_moments(one, related_inputs(100, 96, 5).view());
  for (const DType type : kSearchedTypes) {
    CAPTURE(dtype_name(type));
    const RoundedProduct product{weights.view(), moments.view()};
    CHECK(blocks_for_product(one, product, type, "w").bytes ==
          blocks_for_product(three, product, type, "w").bytes);
  }
}

TEST_CASE("block search: zeros, tiny, large and lonely values are stored as finite ones") {
  ThreadPool pool(2);
  Matrix weights(6, 64);
  std::ranges::fill(weights.row(1), 1e-40F);
  std::ranges::fill(weights.row(2), 3e-6F);
  std::ranges::fill(weights.row(3), -4e4F);
  weights.row(4)[40] = 1;
  std::ranges::copy(random_matrix(1, 64, 2, 2e4).row(0), weights.row(5).begin());
  Matrix inputs = related_inputs(80, 64, 4);
  for (std::size_t r = 0; r < inputs.rows(); ++r) inputs.row(r)[7] = 0;
  const Matrix moments = second_moments(pool, inputs.view());
  for (const DType type : kSearchedTypes) {
    CAPTURE(dtype_name(type));
    const RoundedProduct product{weights.view(), moments.view()};
    const StoredValues stored = blocks_for_product(pool, product, type, "w");
    const Matrix found = read_back(stored, type, weights.rows(), weights.cols());
    for (const float value : found.row(0)) CHECK(value == 0);
    CHECK(found.row(4)[40] == doctest::Approx(1).epsilon(1e-3));
    for (std::size_t i = 0; i < found.size(); ++i) {
      CHECK(std::isfinite(found.flat()[i]));
      CHECK(std::abs(found.flat()[i]) < 9e4F);
    }
  }
}

TEST_CASE("block search: inputs whose moments are beyond fp32 leave the nearest blocks") {
  ThreadPool pool(1);
  const Matrix weights = random_matrix(3, 64, 8);
  const Matrix inputs = random_matrix(40, 64, 9, 1e25);
  const Matrix moments = second_moments(pool, inputs.view());
  REQUIRE(!std::isfinite(moments.row(5)[5]));
  for (const DType type : kSearchedTypes) {
    CAPTURE(dtype_name(type));
    const RoundedProduct product{weights.view(), moments.view()};
    CHECK(blocks_for_product(pool, product, type, "w").bytes ==
          stored_values(type, weights.view(), "w").bytes);
  }
  const Matrix in_int8 = round_for_product(pool, weights.view(), moments.view());
  for (const float value : in_int8.flat()) CHECK(std::isfinite(value));
}

TEST_CASE("value blocks: any levels and scales are read as they were written") {
  for (const DType type : kSearchedTypes) {
    CAPTURE(dtype_name(type));
    const BlockKind kind = block_kind(type);
    for (int seed = 0; seed < 50; ++seed) {
      ValueBlock block{scale_in_half(0.37F * float(seed - 20), "w")};
      if (kind.has_minimum) block.minimum = scale_in_half(-1.3F * float(seed), "w");
      for (std::size_t i = 0; i < block.levels.size(); ++i) {
        const int span = kind.most - kind.least + 1;
        block.levels[i] = kind.least + (seed * 31 + int(i) * 7) % span;
      }
      StoredValues stored;
      append_block(type, block, stored.bytes);
      const Matrix read = read_back(stored, type, 1, kQuantBlock);
      std::size_t n_wrong = 0;
      for (std::size_t i = 0; i < kQuantBlock; ++i) {
        const float wanted = float(block.levels[i]) * block.scale + block.minimum;
        n_wrong += read.row(0)[i] == wanted ? 0 : 1;
      }
      CHECK(n_wrong == 0);
    }
  }
}
