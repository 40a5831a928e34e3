// Weights of 8 bits against 2^x, and what their rounding does to sums.
#include "models/kernels/operands/u8_softmax.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/product_reference.h"
#include "tests/support/random_matrix.h"

using namespace wnpu::kernels;
using namespace wnpu::models;  // NOLINT: the names under test
using wnpu::tests::on_every_instruction_set;
using wnpu::tests::random_matrix;

namespace {

// Weight of the largest score, before it is rounded.
double top() { return byte_limits().left < 255 ? 127.5 : 255; }

ScoreRows one_row(const std::vector<std::int16_t>& scores) {
  ScoreRows row(1, scores.size());
  row.reset(1);
  std::ranges::copy(scores, row.row(0));
  return row;
}

std::vector<std::uint8_t> weights_of(const ScoreRows& scores) {
  std::vector<std::uint8_t> weights(scores.stride());
  const ByteWeights found = byte_softmax(scores, 0, weights.data());
  CHECK(found.exact);
  std::int32_t sum = 0;
  for (const std::uint8_t weight : weights) sum += weight;
  CHECK(found.sum == sum);
  return weights;
}

}  // namespace

TEST_CASE("byte softmax: within one and 0.6 % of 255 times a power of 2, 0 behind the row") {
  on_every_instruction_set([] {
    for (const std::size_t n : {1U, 63U, 64U, 65U, 1500U}) {
      std::vector<std::int16_t> scores(n);
      const auto random = random_matrix(1, n, 7);
      for (std::size_t i = 0; i < n; ++i)
        scores[i] = static_cast<std::int16_t>(-3000.0F * std::abs(random.row(0)[i]));
      const std::int16_t largest = *std::ranges::max_element(scores);
      const auto weights = weights_of(one_row(scores));
      for (std::size_t i = 0; i < n; ++i) {
        const double exact = top() * std::exp2((scores[i] - largest) / 128.0);
        CHECK(std::abs(weights[i] - exact) <= 1 + 0.006 * exact);
      }
      for (std::size_t i = n; i < weights.size(); ++i) CHECK(weights[i] == 0);
      CHECK(*std::ranges::max_element(weights) >= std::floor(top()));
    }
  });
}

TEST_CASE("byte softmax: 64 equal weights below one have the sum they should have") {
  on_every_instruction_set([] {
    for (const int below : {128 * 8, 128 * 9, 128 * 10 + 40, 128 * 12}) {
      std::vector<std::int16_t> scores(128, static_cast<std::int16_t>(-below));
      scores[5] = 0;
      const auto weights = weights_of(one_row(scores));
      int sum = 0;
      for (std::size_t i = 64; i < 128; ++i) sum += weights[i];
      CHECK(std::abs(sum - 64 * top() * std::exp2(-below / 128.0)) <= 1);
    }
  });
}

TEST_CASE("byte softmax: an instruction set changes nothing but 7 bits") {
  std::vector<std::int16_t> scores(32767 + 4096);  // every distance from the largest that counts
  for (std::size_t i = 0; i < scores.size(); ++i)
    scores[i] = static_cast<std::int16_t>(32766 - static_cast<int>(i) % 65535);
  std::vector<std::vector<std::uint8_t>> results;
  on_every_instruction_set([&] {
    if (top() == 255) results.push_back(weights_of(one_row(scores)));
  });
  for (const auto& weights : results) CHECK(weights == results.front());
}

TEST_CASE("byte softmax: the largest score is found wherever it is, whatever its sign") {
  on_every_instruction_set([] {
    const int most = top() == 255 ? 32766 : 32638;  // a power more has room above it
    for (const int largest : {-20000, -1, 0, most}) {
      for (std::size_t place = 0; place < 130; ++place) {
        std::vector<std::int16_t> scores(130, static_cast<std::int16_t>(largest - 128));
        scores[place] = static_cast<std::int16_t>(largest);
        const auto weights = weights_of(one_row(scores));
        CHECK(weights[place] >= std::floor(top()));
        CHECK(weights[(place + 1) % scores.size()] <= top() / 2 + 1);
      }
    }
  });
}

TEST_CASE("byte softmax: a largest score that may have been cut off makes no number") {
  on_every_instruction_set([] {
    for (const int largest : {32767, -32768, -30000}) {
      ScoreRows scores(2, 10);
      scores.reset(2);
      std::fill_n(scores.row(0), 10, std::int16_t{5});
      std::fill_n(scores.row(1), 10, static_cast<std::int16_t>(largest));
      U8Rows weights(2, whole_softmax_groups(10));
      CHECK_FALSE(weights.set_softmax(scores));
      CHECK(weights.scales()[0] == doctest::Approx(0.1 / top()).epsilon(0.01));
      CHECK(std::isnan(weights.scales()[1]));
    }
  });
}
