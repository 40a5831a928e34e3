// Logits and greedy tokens of openai-whisper on jfk.wav, from its own encoder states.
#include <fstream>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "decoder/decoder.h"
#include "decoder/decoding_task.h"
#include "models/model_file.h"
#include "models/ops.h"
#include "models/vocabulary.h"
#include "models/weights.h"
#include "tests/difference.h"
#include "tests/exact_logits.h"
#include "tests/jfk_golden.h"
#include "tests/tolerances.h"

using namespace wnpu;  // NOLINT
using tests::nmse;

namespace {

nlohmann::json load_json(const std::filesystem::path& path) {
  return nlohmann::json::parse(std::ifstream(path));
}

}  // namespace

TEST_CASE("decoder: logits of the first 12 steps, together and one by one, agree with openai") {
  const auto jfk = tests::jfk_golden();
  if (!jfk) return;
  const models::ModelFile& file = *jfk->file;
  const auto weights = models::load_decoder_weights(file);
  models::ThreadPool pool(2);
  decoder::Decoder decoder(file.dims(), weights, pool);
  decoder::CrossKv window;
  decoder.cross_kv({jfk->stage("enc_ln_post.npy")}, window);
  const auto golden = jfk->stage("dec_logits.npy");
  const auto json = load_json(jfk->stages / "jfk.json");
  std::vector<decoder::StepRow> rows = {{0, json["sot_sequence"][0].get<int>(), true, &window}};
  for (int i = 0; i < 11; ++i) {
    rows.push_back(
        {0, json["decode_greedy"]["tokens"][static_cast<std::size_t>(i)], true, &window});
  }
  const auto check = [&](const models::Matrix& logits) {
    CHECK(nmse(logits.flat(), golden.flat()) < tests::tolerance::kScreenedLogitsNmse);
    CHECK(nmse(tests::special_logits(logits.flat(), file.dims()),
               tests::special_logits(golden.flat(), file.dims())) < 1e-6);
    for (std::size_t row = 0; row < 12; ++row) {
      CHECK(models::log_sum_exp(logits.row(row)) ==
            doctest::Approx(models::log_sum_exp(golden.row(row))).epsilon(1e-5));
      CHECK(models::max(logits.row(row)) ==
            doctest::Approx(models::max(golden.row(row))).epsilon(1e-5));
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
  const auto jfk = tests::jfk_golden();
  if (!jfk) return;
  const models::ModelFile& file = *jfk->file;
  const auto weights = models::load_decoder_weights(file);
  const models::Vocabulary vocabulary(file.token_bytes(), file.dims(), file.path());
  models::ThreadPool pool(2);
  decoder::Decoder decoder(file.dims(), weights, pool);
  decoder::CrossKv window;
  decoder.cross_kv({jfk->stage("enc_ln_post.npy")}, window);
  decoder::KvCache cache(file.dims(), 1);
  std::vector<decoder::DecodingTask> tasks;
  tasks.emplace_back(file.dims(), vocabulary, decoder::DecodeOptions());
  tasks[0].begin(cache, 0, window);
  decoder::run(decoder, cache, tasks);
  const auto golden = load_json(jfk->stages / "jfk.json")["decode_greedy"];
  const auto decoded = tasks[0].result();
  CHECK(decoded.tokens == golden["tokens"].get<std::vector<models::TokenId>>());
  CHECK(decoded.text == golden["text"].get<std::string>());
  CHECK(decoded.avg_logprob == doctest::Approx(golden["avg_logprob"].get<double>()).epsilon(1e-4));
  CHECK(decoded.no_speech_prob ==
        doctest::Approx(golden["no_speech_prob"].get<double>()).epsilon(1e-3));
  CHECK(decoded.compression_ratio == doctest::Approx(golden["compression_ratio"].get<double>()));
}
