// Logits and greedy tokens of openai-whisper on jfk.wav (tests/data/jfk).
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "decoder/model/decoder.h"
#include "decoder/search/scheduler.h"
#include "models/files/model_file.h"
#include "models/kernels/vectors/ops.h"
#include "models/text/vocabulary.h"
#include "models/weights/weights.h"
#include "tests/support/difference.h"
#include "tests/support/first_window.h"
#include "tests/support/jfk_reference.h"
#include "tests/support/tolerances.h"

using namespace wnpu;  // NOLINT
using tests::nmse;

namespace {

// The logits of special tokens, exact whatever the others are, among every 32nd of all.
std::vector<float> special_columns(const models::Matrix& kept, const models::Dims& dims) {
  const std::size_t first = (dims.n_text_tokens() + tests::kEveryLogit - 1) / tests::kEveryLogit;
  std::vector<float> special;
  for (std::size_t row = 0; row < kept.rows(); ++row) {
    const auto columns = kept.row(row).subspan(first);
    special.insert(special.end(), columns.begin(), columns.end());
  }
  return special;
}

}  // namespace

TEST_CASE("decoder: logits of the first 12 steps, together and one by one, agree with openai") {
  const auto jfk = tests::jfk_reference();
  if (!jfk) return;
  const models::ModelFile& file = *jfk->file;
  const auto weights = models::load_decoder_weights(file);
  models::ThreadPool pool(2);
  const decoder::PackedDecoder packed(file.dims(), weights, pool);
  decoder::Decoder decoder(packed, pool);
  decoder::CrossKv window;
  decoder.cross_kv(tests::encoded_window(jfk->recording, file), window);
  const auto golden = tests::data_matrix("jfk/logits.npy");
  const auto json = tests::data_json("jfk/decoded.json");
  std::vector<decoder::StepRow> rows;
  for (const auto& token : json["context"]) rows.push_back({0, token, true, &window});
  REQUIRE(rows.size() == 12);
  const auto check = [&](const models::Matrix& logits) {
    const auto kept = tests::every_column(logits.view(), tests::kEveryLogit);
    CHECK(nmse(kept.flat(), golden.flat()) < tests::tolerance::kScreenedLogitsNmse);
    CHECK(nmse(special_columns(kept, file.dims()), special_columns(golden, file.dims())) < 1e-6);
    for (std::size_t row = 0; row < 12; ++row) {
      CHECK(kernels::log_sum_exp(logits.row(row)) ==
            doctest::Approx(json["log_sum_exp"][row].get<double>()).epsilon(1e-5));
      CHECK(kernels::max(logits.row(row)) ==
            doctest::Approx(json["largest"][row].get<double>()).epsilon(1e-5));
    }
  };
  decoder::KvCache cache(file.dims(), 1);
  models::Matrix together(12, file.dims().n_vocab);
  decoder.step(cache, rows, together.view());
  check(together);

  cache.clear(0);
  models::Matrix one_by_one(12, file.dims().n_vocab);
  for (std::size_t i = 0; i < 12; ++i) {
    decoder.step(cache, {&rows[i], 1}, one_by_one.view().row_range(i, 1));
  }
  check(one_by_one);
}

TEST_CASE("decoder: greedy tokens and their probability agree with openai on jfk") {
  const auto jfk = tests::jfk_reference();
  if (!jfk) return;
  const models::ModelFile& file = *jfk->file;
  const auto weights = models::load_decoder_weights(file);
  const models::Vocabulary vocabulary(file.token_bytes(), file.dims(), file.path());
  models::ThreadPool pool(2);
  const decoder::PackedDecoder packed(file.dims(), weights, pool);
  decoder::Decoder decoder(packed, pool);
  decoder::CrossKv window;
  decoder.cross_kv(tests::encoded_window(jfk->recording, file), window);
  decoder::KvCache cache(file.dims());
  const auto golden = tests::data_json("jfk/decoded.json");
  const auto decoded = decoder::decode(decoder, cache, vocabulary, {}, window);
  CHECK(decoded.tokens == golden["tokens"].get<std::vector<models::TokenId>>());
  CHECK(decoded.text == golden["text"].get<std::string>());
  CHECK(decoded.avg_logprob == doctest::Approx(golden["avg_logprob"].get<double>()).epsilon(1e-4));
  CHECK(decoded.no_speech_prob ==
        doctest::Approx(golden["no_speech_prob"].get<double>()).epsilon(1e-3));
  CHECK(decoded.compression_ratio == doctest::Approx(golden["compression_ratio"].get<double>()));
}
