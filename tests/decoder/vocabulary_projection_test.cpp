// Logits from 8 bits or 4, and again from the weights as they are where it matters; reference:
// fp64.
#include "decoder/model/vocabulary_projection.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include <doctest/doctest.h>

#include "tests/nano/nano_model.h"
#include "tests/support/difference.h"
#include "tests/support/random_matrix.h"
#include "tests/support/tolerances.h"

using namespace wnpu;  // NOLINT

namespace {

constexpr double kExactNmse = 1e-12;

struct ProjectionFixture {
  explicit ProjectionFixture(std::size_t n_threads = 2,
                             models::Precision precision = models::Precision::fp32)
      : pool(n_threads),
        vocabulary(dims, models::tensor_of(embedding.view()), pool, precision),
        projection(vocabulary, pool) {}

  std::vector<double> reference(std::span<const float> hidden) const {
    std::vector<double> logits;
    for (std::size_t id = 0; id < dims.n_vocab; ++id) {
      double sum = 0;
      for (std::size_t c = 0; c < hidden.size(); ++c)
        sum += static_cast<double>(hidden[c]) * static_cast<double>(embedding.row(id)[c]);
      logits.push_back(sum);
    }
    return logits;
  }

  // A hidden state whose logits for `tokens` are the largest by far.
  std::vector<float> towards(std::initializer_list<models::TokenId> tokens) const {
    std::vector<float> hidden(dims.n_text_state);
    for (const models::TokenId token : tokens) {
      const auto row = embedding.row(static_cast<std::size_t>(token));
      for (std::size_t c = 0; c < hidden.size(); ++c) hidden[c] += 2 * row[c];
    }
    return hidden;
  }

  models::Matrix project(std::span<const float> hidden) {
    models::Matrix in(1, hidden.size());
    std::ranges::copy(hidden, in.row(0).begin());
    models::Matrix logits(1, dims.n_vocab);
    projection.project(in.view(), logits.view());
    return logits;
  }

  models::Dims dims = tests::nano_dims();
  models::Matrix embedding = tests::random_matrix(dims.n_vocab, dims.n_text_state, 1);
  models::ThreadPool pool;
  decoder::PackedVocabulary vocabulary;
  decoder::VocabularyProjection projection;
};

// Ids of the n largest.
std::vector<std::size_t> likeliest(std::span<const double> logits, std::size_t n) {
  std::vector<std::size_t> ids(logits.size());
  std::iota(ids.begin(), ids.end(), 0U);
  std::ranges::partial_sort(ids, ids.begin() + static_cast<std::ptrdiff_t>(n), std::greater{},
                            [&](std::size_t id) { return logits[id]; });
  ids.resize(n);
  return ids;
}

void check_exact(const models::Matrix& logits, std::span<const double> expected,
                 std::span<const std::size_t> ids) {
  std::vector<float> found;
  std::vector<double> wanted;
  for (const std::size_t id : ids) {
    found.push_back(logits.row(0)[id]);
    wanted.push_back(expected[id]);
  }
  CHECK(tests::nmse(found, wanted) < kExactNmse);
}

std::vector<std::size_t> token_range(std::size_t first, std::size_t end) {
  std::vector<std::size_t> ids(end - first);
  std::iota(ids.begin(), ids.end(), first);
  return ids;
}

}  // namespace

TEST_CASE("vocabulary: the likeliest and all special tokens are exact, the others near") {
  ProjectionFixture f;
  const auto hidden = f.towards({17, 400, 31000});
  const auto logits = f.project(hidden);
  const auto expected = f.reference(hidden);
  const std::span text = std::span(expected).first(f.dims.n_text_tokens());
  check_exact(logits, expected, likeliest(text, 24));
  check_exact(logits, expected, token_range(f.dims.n_text_tokens(), f.dims.n_vocab));
  CHECK(tests::nmse(logits.flat(), expected) < tests::tolerance::kScreenedLogitsNmse);
  CHECK(tests::nmse(logits.flat(), expected) > kExactNmse);  // or there is nothing to test here
}

TEST_CASE("vocabulary: beside integers the likeliest and all special tokens are exact too") {
  for (const auto precision : {models::Precision::int16, models::Precision::int8}) {
    ProjectionFixture f(2, precision);
    const auto hidden = f.towards({17, 400, 31000});
    const auto logits = f.project(hidden);
    const auto expected = f.reference(hidden);
    // Three stand out, all others are noise, among which 4 bits find the first ones.
    check_exact(logits, expected, likeliest(std::span(expected).first(f.dims.n_text_tokens()), 8));
    check_exact(logits, expected, token_range(f.dims.n_text_tokens(), f.dims.n_vocab));
    CHECK(tests::nmse(logits.flat(), expected) < tests::tolerance::kRoughlyScreenedLogitsNmse);
  }
}

TEST_CASE("vocabulary: flat logits, and hidden states of zeros") {
  ProjectionFixture f;
  const auto hidden = tests::random_vector(f.dims.n_text_state, 5, 0.01);
  const auto expected = f.reference(hidden);
  const auto logits = f.project(hidden);
  CHECK(tests::nmse(logits.flat(), expected) < tests::tolerance::kScreenedLogitsNmse);
  const std::span text = std::span(expected).first(f.dims.n_text_tokens());
  check_exact(logits, expected, likeliest(text, 24));
  const auto nothing = f.project(std::vector<float>(f.dims.n_text_state));
  for (const float logit : nothing.flat()) CHECK(logit == 0.0F);
}

TEST_CASE("vocabulary: hidden states that are no numbers do no harm") {
  ProjectionFixture f;
  for (const float value :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(), 3e38F}) {
    const auto logits = f.project(std::vector<float>(f.dims.n_text_state, value));
    CHECK(logits.cols() == f.dims.n_vocab);
    auto one = f.towards({17});
    one[3] = value;
    CHECK(f.project(one).cols() == f.dims.n_vocab);
  }
}

TEST_CASE("vocabulary: a row's bits depend neither on other rows nor on threads") {
  ProjectionFixture f;
  const models::Matrix hidden = tests::random_matrix(5, f.dims.n_text_state, 7);
  models::Matrix together(5, f.dims.n_vocab);
  f.projection.project(hidden.view(), together.view());
  ProjectionFixture alone(1);
  for (std::size_t r = 0; r < 5; ++r)
    CHECK(std::ranges::equal(alone.project(hidden.row(r)).flat(), together.row(r)));
}

TEST_CASE("vocabulary: a token's row is the embedding's") {
  const ProjectionFixture f;
  std::vector<float> row(f.dims.n_text_state);
  f.projection.embed(1234, row);
  CHECK(std::ranges::equal(row, f.embedding.row(1234)));
}
