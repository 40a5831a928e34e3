// The two nano multilingual models of tests/data, through every format: openai-whisper's
// encoder states, language probabilities, greedy and beam tokens, transcribed and translated.
#include "tests/nano/nano_golden.h"

#include <filesystem>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "decoder/model/decoder.h"
#include "decoder/search/language.h"
#include "decoder/search/scheduler.h"
#include "models/files/model_file.h"
#include "models/files/open_model.h"
#include "models/text/vocabulary.h"
#include "models/weights/weights.h"
#include "tests/support/difference.h"
#include "tests/support/first_window.h"
#include "tests/support/reference_data.h"

using namespace wnpu;  // NOLINT

namespace {

// One nano model in one of its formats, its decoder bound to the states of a recording.
struct Nano {
  Nano(const std::filesystem::path& path, models::Vocabulary words,
       const std::filesystem::path& recording)
      : file(models::open_model(path)),
        vocabulary(std::move(words)),
        weights(models::load_decoder_weights(*file)),
        states(tests::encoded_window(recording, *file)) {
    decoder.cross_kv(states, window);
    const auto with_silence = tests::first_window_with_silence(recording, file->dims().n_mels);
    decoder.cross_kv(tests::encoded_window(with_silence, *file), window_with_silence);
  }

  decoder::Decoded decode(const decoder::DecodeOptions& options) {
    return decoder::decode(decoder, cache, vocabulary, options, window);
  }

  std::unique_ptr<models::ModelFile> file;
  models::Vocabulary vocabulary;
  models::DecoderWeights weights;
  models::EncoderStates states;
  models::ThreadPool pool{2};
  decoder::PackedDecoder packed{file->dims(), weights, pool};
  decoder::Decoder decoder{packed, pool};
  decoder::KvCache cache{file->dims()};
  decoder::CrossKv window;
  decoder::CrossKv window_with_silence;
};

decoder::DecodeOptions options_of(const nlohmann::json& run) {
  decoder::DecodeOptions options;
  options.language = run["language"];
  options.task = run["task"] == "translate" ? decoder::Task::translate : decoder::Task::transcribe;
  options.without_timestamps = run["without_timestamps"];
  options.sample_len = run["sample_len"].get<std::size_t>();
  return options;
}

void check_against(Nano& nano, const nlohmann::json& golden) {
  const auto found =
      decoder::hear_languages(nano.decoder, nano.cache, nano.vocabulary, nano.window_with_silence)
          .probabilities;
  REQUIRE(found.size() == golden["language_probs"].size());
  CHECK(found[0].first == golden["language_detected"].get<std::string>());
  for (const auto& [code, probability] : found) {
    CHECK(probability ==
          doctest::Approx(golden["language_probs"][code].get<double>()).epsilon(1e-3));
  }
  for (const auto& run : golden["runs"]) {
    auto options = options_of(run["options"]);
    CHECK(nano.decode(options).tokens ==
          run["greedy"]["tokens"].get<std::vector<models::TokenId>>());
    options.beam_size = 5;
    const auto beam = nano.decode(options);
    CHECK(beam.tokens == run["beam5"]["tokens"].get<std::vector<models::TokenId>>());
    CHECK(beam.avg_logprob ==
          doctest::Approx(run["beam5"]["avg_logprob"].get<double>()).epsilon(1e-3));
  }
}

}  // namespace

TEST_CASE("nano models: every format gives openai's languages, greedy and beam tokens") {
  for (const std::string name : {"nano80", "nano128"}) {
    const auto dir = tests::nano_golden_dir(name);
    const auto golden = tests::data_json("nano/" + name + ".json");
    const auto recording = tests::data_file(golden["recording"]);
    const auto states = tests::data_matrix("nano/" + name + "_states.npy");
    // The HuggingFace folder has no tokenizer files: its words are CTranslate2's.
    const auto ct2 = models::open_model(dir / "ct2");
    const models::Vocabulary vocabulary(ct2->token_bytes(), ct2->dims(), ct2->path());
    for (const std::string format : {"ct2", "hf", "ggml/ggml-model.bin"}) {
      CAPTURE(name);
      CAPTURE(format);
      Nano nano(dir / format, vocabulary, recording);
      const auto kept = tests::every_row(nano.states.values.view(), tests::kEveryPosition);
      CHECK(tests::nmse(kept.flat(), states.flat()) < 1e-6);
      check_against(nano, golden);
    }
  }
}
