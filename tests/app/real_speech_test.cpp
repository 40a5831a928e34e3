// The whole way with real weights, tiny.en and Silero: text at the borders of clips, and what is
// heard where nobody speaks.
#include "tests/support/real_speech.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <numbers>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "app/engine/whisper_npu.hpp"
#include "decoder/search/decoding_task.h"
#include "tests/support/fetched_files.h"
#include "tests/support/model_run.h"
#include "tests/support/random_matrix.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tolerances.h"
#include "tests/support/wav_file.h"
#include "tests/support/word_alignment.h"

using namespace wnpu;  // NOLINT

namespace {

constexpr std::size_t kSampleRate = 16000;

// manifest.tsv: file, duration, rate, channels, source, licence, reference, kind, language.
std::string reference_of(const std::filesystem::path& manifest, const std::string& file) {
  std::ifstream in(manifest);
  for (std::string line; std::getline(in, line);) {
    std::istringstream fields(line);
    std::string field;
    std::getline(fields, field, '\t');
    if (field != file) continue;
    for (int i = 0; i < 6; ++i) std::getline(fields, field, '\t');
    return field;
  }
  return "";
}

std::string speech_text(const Transcript& transcript) {
  std::string text;
  for (const auto& segment : transcript.segments) text += segment.text;
  return text;
}

std::vector<Word> all_words(const Transcript& transcript) {
  std::vector<Word> words;
  for (const auto& segment : transcript.segments)
    words.insert(words.end(), segment.words.begin(), segment.words.end());
  return words;
}

std::vector<float> chords(std::size_t n_seconds) {
  std::vector<float> samples(n_seconds * kSampleRate);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double t = static_cast<double>(i) / kSampleRate;
    const double root = 220.0 * std::exp2(std::floor(t * 2) * 7 / 12 - std::floor(t / 3) * 2);
    double sum = 0;
    for (const double ratio : {1.0, 1.26, 1.498, 2.0}) {
      sum += std::sin(2 * std::numbers::pi * std::min(root, 900.0) * ratio * t);
    }
    samples[i] = static_cast<float>(0.1 * sum * std::exp(-2 * std::fmod(t, 0.5)));
  }
  return samples;
}

// In clips, greedy: few words are missing, too many, or others than in the reference.
void check_batched(const std::filesystem::path& model, const std::filesystem::path& vad,
                   const std::filesystem::path& recording, const std::string& reference) {
  Session session = tests::session_of(model);
  TranscribeOptions options;
  options.language = "en";
  options.beam_size = 1;
  options.batch_size = 8;
  options.vad.enabled = true;
  options.vad.weights = vad;
  const auto found = session.transcribe({.path = recording}, options);
  const auto errors =
      tests::compare_words(tests::plain_words(reference), tests::plain_words(speech_text(found)));
  CHECK(errors.longest_loss <= tests::tolerance::kWordsAstray);
  CHECK(errors.longest_extra <= tests::tolerance::kWordsAstray);
  CHECK(errors.total < tests::plain_words(reference).size() / 10);
  double last_end = 0;
  for (const auto& segment : found.segments) {
    CHECK(segment.start >= last_end - 1e-6);
    CHECK(segment.end >= segment.start);
    last_end = segment.end;
  }
  CHECK(last_end <= found.input.duration + 0.01);
}

}  // namespace

TEST_CASE("batched: no text is lost or doubled at the borders of clips") {
  const auto model = tests::tiny_en_dir();
  const auto vad = tests::silero_weights();
  const auto jfk = tests::jfk_wav();
  if (!model || !vad || !jfk) return;
  constexpr int kTimes = 6;
  const tests::TemporaryFolder folder;
  const auto recording = folder.path() / "jfk_many_times.wav";
  tests::write_wav(recording, tests::joined({{*jfk}}, kTimes));
  std::string reference;
  for (int i = 0; i < kTimes; ++i) {
    reference +=
        "And so my fellow Americans ask not what your country can do for you "
        "ask what you can do for your country ";
  }
  check_batched(*model, *vad, recording, reference);
}

TEST_CASE("batched: no text of a long speech is lost or doubled at the borders of clips") {
  const auto model = tests::tiny_en_dir();
  const auto vad = tests::silero_weights();
  const auto corpus = tests::shared_file("corpus");
  if (!model || !vad || !corpus) return;
  const std::string name = "columbia.flac";
  check_batched(*model, *vad, *corpus / name, reference_of(*corpus / "manifest.tsv", name));
}

TEST_CASE("language: a model of English alone warns of German, and of no English recording") {
  const auto model = tests::tiny_en_dir();
  const auto jfk = tests::jfk_wav();
  if (!model || !jfk) return;
  Session session = tests::session_of(*model);
  for (const auto& recording : tests::real_speech(*jfk)) {
    CAPTURE(recording);
    CHECK(session.transcribe({.path = recording}).warnings.empty());
  }
  const auto german = tests::shared_file("corpus/aeneas_de.mp3");
  if (!german) return;
  const auto warnings = session.transcribe({.path = *german}).warnings;
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0].find("may not be in English") != std::string::npos);
}

TEST_CASE("language: base hears openai-whisper's, and German behind half a minute of silence") {
  const auto model = tests::base_dir();
  const auto golden = tests::shared_file("golden/base");
  const auto corpus = tests::shared_file("corpus");
  const auto field = tests::shared_file("field/silence_then_german.opus");
  if (!model || !golden || !corpus || !field) return;
  Session session = tests::session_of(*model);
  TranscribeOptions options = tests::single_try(1, 1, "");
  options.no_speech_threshold = TranscribeOptions().no_speech_threshold;
  // The first two are other languages where frames behind the audio are 0.0.
  for (const std::string name :
       {"base/espeak_fa.flac", "sb_noise2.wav", "wk_ja.wav", "silence_35s.wav"}) {
    CAPTURE(name);
    std::string file = name + ".json";
    std::ranges::replace(file, '/', '_');
    std::ifstream in(*golden / file);
    const auto detected = nlohmann::json::parse(in)["detected"];
    const auto found = session.transcribe({.path = *corpus / name}, options);
    CHECK(found.language == detected["language"].get<std::string>());
    const double difference =
        found.language_probs.front().second - detected["probability"].get<double>();
    CHECK(std::abs(difference) < 1e-4);
  }
  const auto german = session.transcribe({.path = *field}, options);
  CHECK(german.language == "de");
  CHECK(german.warnings.empty());
}

TEST_CASE("multilingual: base hears English, then German, where one recording follows another") {
  const auto model = tests::base_dir();
  const auto english = tests::shared_file("corpus/kennedy_moon_stereo.wav");
  const auto german = tests::shared_file("corpus/base/fleurs_de_002.ogg");
  if (!model || !english || !german) return;
  auto samples = tests::samples_of(*english);
  const double seconds = static_cast<double>(samples.size()) / 16000;
  std::ranges::copy(tests::samples_of(*german), std::back_inserter(samples));
  Session session = tests::session_of(*model);
  TranscribeOptions options;
  options.beam_size = 1;
  options.multilingual = true;
  const auto found = session.transcribe(Audio::from_samples(samples), options);
  std::string text;
  for (const Segment& segment : found.segments) {
    CHECK(segment.language == (segment.end < seconds + 0.5 ? "en" : "de"));
    if (segment.language == "de") text += segment.text;
  }
  CHECK(text.find("Film das Vermächtnis der Tempelritter gesehen") != std::string::npos);
}

TEST_CASE("batches: base writes a Chinese clip in the simplified script, with marks") {
  const auto model = tests::base_dir();
  const auto recording = tests::shared_file("corpus/base/fleurs_zh_1883.flac");
  if (!model || !recording) return;
  Session session = tests::session_of(*model);
  TranscribeOptions options;
  options.beam_size = 1;
  options.language = "zh";
  options.batch_size = 2;
  options.clip_timestamps = {0, 13.8};
  std::string text;
  for (const Segment& segment : session.transcribe({.path = *recording}, options).segments)
    text += segment.text;
  CHECK(text.find("该项目于") != std::string::npos);
  CHECK(text.find("。") != std::string::npos);
  CHECK(text.find("以下是") == std::string::npos);
}

TEST_CASE("pooled padding: the words of jfk.wav, most of them at their times") {
  const auto model = tests::tiny_en_dir();
  const auto jfk = tests::jfk_wav();
  if (!model || !jfk) return;
  for (const char* precision : {"fp32", "int16", "int8"}) {
    CAPTURE(precision);
    const DeviceOptions device{.requested = "cpu", .cpu_precision = precision};
    Session session(Model(model->string(), {.device = device, .threads = 2}));
    TranscribeOptions options;
    options.beam_size = 1;
    options.word_timestamps = true;
    const Transcript whole = session.transcribe({.path = *jfk}, options);
    options.pool_padding = true;
    const Transcript pooled = session.transcribe({.path = *jfk}, options);
    const auto words = tests::plain_words(speech_text(whole));
    CHECK(tests::compare_words(words, tests::plain_words(speech_text(pooled))).total <= 1);
    CHECK(pooled.segments[0].avg_logprob != whole.segments[0].avg_logprob);  // it was pooled
    std::size_t n_near = 0;
    for (const Word& word : all_words(whole)) {
      n_near +=
          static_cast<std::size_t>(std::ranges::any_of(all_words(pooled), [&](const Word& other) {
            return other.text == word.text && std::abs(other.end - word.end) < 0.1;
          }));
    }
    CHECK(n_near + 5 >= words.size());
  }
}

TEST_CASE("no speech: silence, noise and chords give no loops, and with VAD no words at all") {
  const auto model = tests::tiny_en_dir();
  const auto vad = tests::silero_weights();
  if (!model || !vad) return;
  tests::TemporaryFolder folder;
  const std::size_t n = 31;
  const std::vector<std::pair<std::string, std::vector<float>>> sounds = {
      {"silence.wav", std::vector<float>(n * kSampleRate)},
      {"noise.wav", tests::random_vector(n * kSampleRate, 11, 0.2)},
      {"chords.wav", chords(n)},
  };
  Session session = tests::session_of(*model);
  for (const auto& [name, samples] : sounds) {
    CAPTURE(name);
    tests::write_wav(folder.path() / name, samples);
    TranscribeOptions options;
    options.language = "en";
    options.beam_size = 1;
    options.best_of = 1;  // for the test's time
    const Audio input{.path = folder.path() / name};
    const std::string text = speech_text(session.transcribe(input, options));
    CAPTURE(text);
    CHECK(decoder::compression_ratio(text) <= 2.4);
    CHECK(tests::plain_words(text).size() <= tests::tolerance::kWordsInvented);
    options.vad.enabled = true;
    options.vad.weights = *vad;
    CHECK(speech_text(session.transcribe(input, options)).empty());
  }
}
