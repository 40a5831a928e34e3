// Searches on logits written by hand.
#include "decoder/search/search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>

#include <doctest/doctest.h>

using namespace wnpu::decoder;  // NOLINT
using wnpu::models::Matrix;
using wnpu::models::TokenId;

namespace {

constexpr TokenId kEot = 4;

// Rows of log probabilities, given as probabilities of tokens 0 .. 4.
Matrix logits(const std::vector<std::vector<float>>& probabilities) {
  Matrix m(probabilities.size(), 5);
  for (std::size_t r = 0; r < m.rows(); ++r) {
    for (std::size_t c = 0; c < 5; ++c) m.row(r)[c] = std::log(probabilities[r][c]);
  }
  return m;
}

}  // namespace

TEST_CASE("greedy: takes the likeliest token until the end and sums its log probability") {
  GreedySearch search({}, kEot);
  search.advance(logits({{0.1F, 0.6F, 0.1F, 0.1F, 0.1F}}).view());
  CHECK_FALSE(search.done());
  search.advance(logits({{0.1F, 0.1F, 0.1F, 0.2F, 0.5F}}).view());
  CHECK(search.done());
  const auto lines = search.finish();
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].tokens == std::vector<TokenId>{1});
  CHECK(lines[0].sum_logprob == doctest::Approx(std::log(0.6) + std::log(0.5)));
}

TEST_CASE("sampling: follows the distribution, sharpened by the temperature, and its seed") {
  const auto counts_at = [](float temperature) {
    std::map<TokenId, int> counts;
    for (std::uint64_t seed = 0; seed < 4000; ++seed) {
      DecodeOptions options;
      options.temperature = temperature;
      options.seed = seed;
      GreedySearch search(options, kEot);
      search.advance(logits({{0.5F, 0.25F, 0.25F, 1e-9F, 1e-9F}}).view());
      ++counts[search.finish()[0].tokens.at(0)];
    }
    return counts;
  };
  auto plain = counts_at(1.0F);
  CHECK(plain[0] == doctest::Approx(2000).epsilon(0.06));
  CHECK(plain[1] == doctest::Approx(1000).epsilon(0.12));
  auto sharp = counts_at(0.5F);  // squares: 4 : 1 : 1
  CHECK(sharp[0] == doctest::Approx(2667).epsilon(0.06));
  CHECK(counts_at(1.0F) == plain);
}

TEST_CASE("sampling: a draw is where the number lies in the distribution, for any logits") {
  std::mt19937_64 random(5);
  for (int run = 0; run < 200; ++run) {
    CAPTURE(run);
    Matrix row(1, 1 + random() % 3000);
    std::normal_distribution<float> spread(-20, std::pow(10.0F, float(run % 5) - 2));
    for (float& logit : row.row(0)) {
      logit = random() % 3 == 0 ? -std::numeric_limits<float>::infinity() : spread(random);
    }
    row.row(0)[random() % row.cols()] = -18;  // some token can be drawn
    DecodeOptions options;
    options.temperature = 0.1F * static_cast<float>(1 + run % 10);
    options.seed = random();
    const double drawn = static_cast<double>(std::mt19937_64(options.seed)() >> 11U) * 0x1p-53;

    GreedySearch search(options, -1);
    search.advance(row.view());
    const auto token = static_cast<std::size_t>(search.finish()[0].tokens.at(0));

    const float max = std::ranges::max(row.row(0));
    double total = 0;
    double before = 0;
    for (std::size_t id = 0; id < row.cols(); ++id) {
      if (id == token) before = total;
      total += std::exp(static_cast<double>(row.row(0)[id] - max) / options.temperature);
    }
    const double share =
        std::exp(static_cast<double>(row.row(0)[token] - max) / options.temperature) / total;
    CHECK(share > 0);
    CHECK(before / total <= drawn + 1e-6);
    CHECK(before / total + share >= drawn - 1e-6);
  }
}

TEST_CASE("sampling: where no token is possible, or none is a number, some token is taken") {
  for (const float value :
       {-std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    Matrix row(1, 100);
    std::ranges::fill(row.row(0), value);
    DecodeOptions options;
    options.temperature = 0.5F;
    GreedySearch search(options, -1);
    search.advance(row.view());
    CHECK(search.finish()[0].tokens.at(0) < 100);
  }
}

TEST_CASE("best of: the first row serves all lines, finished lines are fed no more") {
  DecodeOptions options;
  options.temperature = 1.0F;
  options.best_of = 3;
  GreedySearch search(options, kEot);
  CHECK(search.lines().size() == 3);
  search.advance(logits({{0.5F, 0.5F, 1e-9F, 1e-9F, 1e-9F}}).view());
  for (const auto& line : search.lines()) {
    CHECK(line.tokens.size() == 1);
    CHECK(line.parent == 0);
  }
  const std::vector<float> to_end = {1e-9F, 1e-9F, 1e-9F, 1e-9F, 1.0F};
  const std::vector<float> to_two = {1e-9F, 1e-9F, 1.0F, 1e-9F, 1e-9F};
  search.advance(logits({to_two, to_end, to_two}).view());
  CHECK_FALSE(search.done());
  search.advance(logits({to_end, to_end}).view());  // two rows for the two open lines
  CHECK(search.done());
  CHECK(search.finish()[1].tokens.size() == 1);
  CHECK(search.finish()[2].tokens.size() == 2);
}

TEST_CASE("beam: finds the likelier sentence that greedy misses") {
  DecodeOptions options;
  options.beam_size = 2;
  BeamSearch search(options, kEot);
  // Greedy takes 0 (0.5), whose best ending has 0.4; 1 (0.4) is followed by the end surely.
  search.advance(logits({{0.5F, 0.4F, 0.05F, 0.03F, 0.02F}}).view());
  REQUIRE(search.lines().size() == 2);
  CHECK(search.lines()[0].tokens == std::vector<TokenId>{0});
  CHECK(search.lines()[1].tokens == std::vector<TokenId>{1});
  search.advance(
      logits({{0.3F, 0.2F, 0.05F, 0.05F, 0.4F}, {0.01F, 0.01F, 0.01F, 0.01F, 0.96F}}).view());
  CHECK(search.done());
  const auto all = search.finish();
  REQUIRE(all.size() == 2);
  CHECK(all[0].tokens == std::vector<TokenId>{1});  // 0.4 x 0.96, ahead of 0.5 x 0.4
  CHECK(all[best_candidate(all, std::nullopt)].tokens == std::vector<TokenId>{1});
}

TEST_CASE("beam: both places may go to children of one beam, and parents say so") {
  DecodeOptions options;
  options.beam_size = 2;
  BeamSearch search(options, kEot);
  search.advance(logits({{0.6F, 0.38F, 0.01F, 0.005F, 0.005F}}).view());
  search.advance(
      logits({{0.2F, 0.2F, 0.2F, 0.2F, 0.2F}, {0.5F, 0.49F, 0.004F, 0.003F, 0.003F}}).view());
  REQUIRE(search.lines().size() == 2);
  CHECK(search.lines()[0].tokens == std::vector<TokenId>{1, 0});
  CHECK(search.lines()[1].tokens == std::vector<TokenId>{1, 1});
  CHECK(search.lines()[0].parent == 1);
  CHECK(search.lines()[1].parent == 1);
}

TEST_CASE("beam: patience asks for more candidates; open beams fill up what is missing") {
  DecodeOptions options;
  options.beam_size = 2;
  options.patience = 2.0F;
  BeamSearch search(options, kEot);
  search.advance(logits({{0.3F, 0.1F, 0.1F, 0.1F, 0.4F}}).view());
  CHECK_FALSE(search.done());  // 1 of 4
  const auto all = search.finish();
  REQUIRE(all.size() == 2);
  CHECK(all[0].finished);
  CHECK(all[0].tokens.empty());
  CHECK(all[1].tokens == std::vector<TokenId>{0});
}

TEST_CASE("beam: half a candidate is rounded to even, as Python does it") {
  const auto wanted = [](std::size_t beams, double patience) {
    DecodeOptions options;
    options.beam_size = beams;
    options.patience = patience;
    return max_candidates(options);
  };
  CHECK(wanted(5, 0.5) == 2);
  CHECK(wanted(3, 1.5) == 4);
  CHECK(wanted(5, 1.3) == 6);
  CHECK(wanted(5, 2.5) == 12);
  CHECK(wanted(5, 1.5) == 8);
  CHECK(wanted(2, 0.1) == 1);  // openai/whisper refuses none
}

TEST_CASE("ranking: by the mean log probability, or with a length penalty") {
  const std::vector<Hypothesis> candidates = {{{1, 1}, -2.0F, true, 0},
                                              {{1, 1, 1, 1, 1, 1}, -5.0F, true, 0}};
  CHECK(best_candidate(candidates, std::nullopt) == 1);  // -0.83 against -1
  CHECK(best_candidate(candidates, 0.0F) == 0);          // sums: -2 against -5
  CHECK(best_candidate({candidates.data(), 1}, std::nullopt) == 0);
}
