// The decoder on a small random model against fp64, and its many ways of being called against
// each other.
#include "decoder/model/decoder.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "decoder/search/decoding_task.h"
#include "tests/nano/nano_model.h"
#include "tests/support/difference.h"
#include "tests/support/exact_logits.h"
#include "tests/support/random_matrix.h"
#include "tests/support/reference_layer.h"
#include "tests/support/tolerances.h"

using namespace wnpu;  // NOLINT
using decoder::StepRow;
using models::TokenId;

namespace {

// fp32 throughout.
constexpr double kLogitsNmse = 1e-12;

struct Fixture {
  explicit Fixture(std::size_t n_threads = 2, models::Precision precision = models::Precision::fp32)
      : pool(n_threads), packed(model.dims, weights, pool, precision), decoder(packed, pool) {
    decoder.cross_kv(states, window);
    decoder.cross_kv(other_states, other_window);
  }

  static models::Dims dims() {
    models::Dims d = tests::nano_dims();
    d.n_audio_ctx = 50;
    return d;
  }

  tests::NanoModel model = tests::make_nano_model({dims(), 11});
  models::DecoderWeights weights = tests::decoder_weights(model);
  models::ThreadPool pool;
  decoder::PackedDecoder packed;
  decoder::Decoder decoder;
  models::EncoderStates states{tests::random_matrix(50, 64, 1)};
  models::EncoderStates other_states{tests::random_matrix(50, 64, 2)};
  decoder::CrossKv window;
  decoder::CrossKv other_window;
};

const std::vector<TokenId> kTokens = {50258, 50259, 50359, 50364, 17, 400, 17, 31000};

// Logits [tokens, n_vocab] of a teacher-forced pass in fp64.
std::vector<double> reference_logits(const Fixture& f) {
  tests::Rows x;
  for (std::size_t i = 0; i < kTokens.size(); ++i) {
    const auto token = f.weights.token_embedding.row(static_cast<std::size_t>(kTokens[i]));
    const auto position = f.weights.positional_embedding.row(i);
    std::vector<double> row;
    for (std::size_t c = 0; c < token.size(); ++c) {
      row.push_back(static_cast<double>(token[c]) + static_cast<double>(position[c]));
    }
    x.push_back(row);
  }
  const auto memory = tests::to_rows(f.states.values.view());
  for (const auto& w : f.weights.layers) {
    const auto normed = tests::reference_layer_norm(x, w.attn_ln);
    tests::add(x, tests::reference_linear(
                      tests::reference_attention(tests::reference_linear(normed, w.attn.query),
                                                 tests::reference_linear(normed, w.attn.key),
                                                 tests::reference_linear(normed, w.attn.value),
                                                 f.model.dims.n_text_head, true),
                      w.attn.out));
    tests::reference_attend(x, w.cross_attn_ln, w.cross_attn, f.model.dims.n_text_head, &memory);
    tests::reference_mlp(x, w.mlp_ln, w.mlp_0, w.mlp_2);
  }
  x = tests::reference_layer_norm(x, f.weights.ln);
  models::LinearWeights output;
  output.weight = models::Matrix(f.model.dims.n_vocab, 64);
  std::ranges::copy(f.weights.token_embedding.flat(), output.weight.flat().begin());
  return tests::flatten(tests::reference_linear(x, output));
}

std::vector<StepRow> rows_of(const Fixture& f, std::size_t sequence) {
  std::vector<StepRow> rows;
  for (const TokenId token : kTokens) rows.push_back({sequence, token, true, &f.window});
  return rows;
}

// `limit`: of the special tokens, which are not screened; `screened`: of all.
void check_logits(const Fixture& f, const models::Matrix& logits,
                  const std::vector<double>& expected, double limit,
                  double screened = tests::tolerance::kScreenedLogitsNmse) {
  const models::Dims& dims = f.model.dims;
  CHECK(tests::nmse(tests::special_logits(logits.flat(), dims),
                    tests::special_logits(expected, dims)) < limit);
  CHECK(tests::nmse(logits.flat(), expected) < screened);
}

std::vector<float> values(const models::Matrix& m) { return {m.flat().begin(), m.flat().end()}; }

}  // namespace

TEST_CASE("decoder: a prompt in one step agrees with fp64, and one by one too") {
  Fixture f;
  const auto expected = reference_logits(f);
  const auto rows = rows_of(f, 0);
  decoder::KvCache cache(f.model.dims, 1);
  models::Matrix together(rows.size(), f.model.dims.n_vocab);
  f.decoder.step(cache, rows, together.view());
  check_logits(f, together, expected, kLogitsNmse);
  CHECK(cache.length(0) == rows.size());

  cache.clear(0);
  models::Matrix one_by_one(rows.size(), f.model.dims.n_vocab);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    f.decoder.step(cache, {&rows[i], 1}, one_by_one.view().row_range(i, 1));
  }
  check_logits(f, one_by_one, expected, kLogitsNmse);
}

TEST_CASE("decoder: a pooled row of a window is heard as often as it counts") {
  constexpr std::size_t kFirst = 20;
  constexpr std::size_t kEach = 6;
  const std::vector<std::pair<models::Precision, double>> limits = {
      {models::Precision::fp32, kLogitsNmse},
      {models::Precision::int16, tests::tolerance::kInt16LogitsNmse},
      {models::Precision::int8, tests::tolerance::kInt8LogitsNmse}};
  for (const auto& each : limits) {
    const models::Precision precision = each.first;
    const double limit = each.second;
    Fixture f(2, precision);
    for (std::size_t r = kFirst; r < f.states.values.rows(); ++r)
      std::ranges::copy(f.states.values.row(r - (r - kFirst) % kEach),
                        f.states.values.row(r).begin());
    models::EncoderStates pooled{models::Matrix(kFirst + 5, 64), {kFirst, kEach}};
    for (std::size_t r = 0; r < pooled.values.rows(); ++r)
      std::ranges::copy(f.states.values.row(r < kFirst ? r : kFirst + (r - kFirst) * kEach),
                        pooled.values.row(r).begin());
    const auto logits = [&](const models::EncoderStates& states) {
      f.decoder.cross_kv(states, f.window);
      decoder::KvCache cache(f.model.dims, 1, precision);
      models::Matrix all(kTokens.size(), f.model.dims.n_vocab);
      f.decoder.step(cache, rows_of(f, 0), all.view());
      return all;
    };
    const models::Matrix whole = logits(f.states);
    const models::Matrix fewer = logits(pooled);
    check_logits(f, fewer, {whole.flat().begin(), whole.flat().end()}, limit);
    // In the same room, one behind the other.
    CHECK(values(logits(f.states)) == values(whole));
    CHECK(values(logits(pooled)) == values(fewer));
    pooled.pooled = {};
    CHECK(tests::nmse(logits(pooled).flat(), values(whole)) > 2 * limit);
  }
}

TEST_CASE("decoder: weights in integers keep to fp64, and rows do not see each other") {
  for (const auto& [precision, limit] :
       {std::pair(models::Precision::int16, tests::tolerance::kInt16LogitsNmse),
        std::pair(models::Precision::int8, tests::tolerance::kInt8LogitsNmse)}) {
    Fixture f(2, precision);
    const auto rows = rows_of(f, 0);
    decoder::KvCache cache(f.model.dims, 1, precision);
    models::Matrix together(rows.size(), f.model.dims.n_vocab);
    f.decoder.step(cache, rows, together.view());
    check_logits(f, together, reference_logits(f), limit,
                 tests::tolerance::kRoughlyScreenedLogitsNmse);

    cache.clear(0);
    models::Matrix one_by_one(rows.size(), f.model.dims.n_vocab);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      f.decoder.step(cache, {&rows[i], 1}, one_by_one.view().row_range(i, 1));
    }
    CHECK(tests::nmse(one_by_one.flat(), together.flat()) < kLogitsNmse);
  }
}

TEST_CASE("decoder: int8's steps have inputs of 16 bits, and a window's keys and values bytes") {
  const Fixture f(2, models::Precision::int8);
  for (const decoder::PackedDecoderLayer& layer : f.packed.layers) {
    for (const kernels::Linear* of_step :
         {&layer.qkv, &layer.out, &layer.cross_query, &layer.cross_out, &layer.mlp_0, &layer.mlp_2})
      CHECK(of_step->weight.number() == kernels::DataType::i8);
    CHECK(layer.cross_kv.weight.number() == models::number_of(models::Precision::int8));
  }
}

TEST_CASE("decoder: sequences of one step do not see each other, nor each other's window") {
  Fixture f;
  decoder::KvCache alone(f.model.dims, 1);
  models::Matrix expected(2, f.model.dims.n_vocab);
  const StepRow first{0, 50258, true, &f.window};
  const StepRow second{0, 40, true, &f.other_window};
  f.decoder.step(alone, {&first, 1}, expected.view().row_range(0, 1));
  alone.clear(0);
  f.decoder.step(alone, {&second, 1}, expected.view().row_range(1, 1));

  decoder::KvCache cache(f.model.dims, 3);
  const std::vector<StepRow> both = {{2, 50258, true, &f.window}, {0, 40, true, &f.other_window}};
  models::Matrix logits(2, f.model.dims.n_vocab);
  f.decoder.step(cache, both, logits.view());
  CHECK(tests::nmse(logits.flat(), expected.flat()) < kLogitsNmse);
}

TEST_CASE("decoder: bits do not depend on the number of threads") {
  std::vector<float> first;
  for (const std::size_t n_threads : {1U, 2U, 5U}) {
    Fixture f(n_threads);
    decoder::KvCache cache(f.model.dims, 1);
    const auto rows = rows_of(f, 0);
    models::Matrix logits(rows.size(), f.model.dims.n_vocab);
    f.decoder.step(cache, rows, logits.view());
    if (first.empty()) first = values(logits);
    CHECK(values(logits) == first);
  }
}

TEST_CASE("decoder: the tap records the scores of its heads and changes nothing") {
  Fixture f;
  const auto rows = rows_of(f, 0);
  decoder::KvCache cache(f.model.dims, 2);
  models::Matrix plain(rows.size(), f.model.dims.n_vocab);
  f.decoder.step(cache, rows, plain.view());
  decoder::AttentionCapture tap{{{1, 0}, {0, 1}}, {}};
  models::Matrix tapped(rows.size(), f.model.dims.n_vocab);
  f.decoder.step(cache, rows_of(f, 1), tapped.view(), &tap);
  CHECK(values(plain) == values(tapped));
  REQUIRE(tap.scores.size() == 2);
  CHECK(tap.scores[0].rows() == rows.size());
  CHECK(tap.scores[0].cols() == f.model.dims.n_audio_ctx);
  // Layer 0's query of the first token is known from the weights alone: check head 1 of it.
  CHECK(values(tap.scores[0]) != values(tap.scores[1]));
}

TEST_CASE("kv cache: a fork shares the past, and both go on by themselves") {
  Fixture f;
  decoder::KvCache cache(f.model.dims, 2);
  models::Matrix logits(1, f.model.dims.n_vocab);
  models::Matrix expected(1, f.model.dims.n_vocab);
  const auto feed = [&](std::size_t sequence, TokenId token, models::Matrix& out) {
    const StepRow row{sequence, token, true, &f.window};
    f.decoder.step(cache, {&row, 1}, out.view());
  };
  feed(0, 50258, logits);
  feed(0, 7, logits);
  cache.fork(0, std::vector<std::size_t>{0, 0});
  feed(0, 8, logits);
  feed(1, 9, logits);
  cache.fork(0, std::vector<std::size_t>{1, 0});  // the two change places
  feed(0, 10, logits);                            // 50258 7 9 10
  decoder::KvCache straight(f.model.dims, 1);
  for (const TokenId token : {50258, 7, 9, 10}) {
    const StepRow row{0, token, true, &f.window};
    f.decoder.step(straight, {&row, 1}, expected.view());
  }
  CHECK(values(logits) == values(expected));
}

TEST_CASE("kv cache: refuses a position beyond n_text_ctx") {
  models::Dims dims = tests::nano_dims();
  dims.n_text_ctx = 3;
  decoder::KvCache cache(dims, 1);
  for (int i = 0; i < 3; ++i) cache.append(0);
  CHECK_THROWS_AS(cache.append(0), std::length_error);
}
