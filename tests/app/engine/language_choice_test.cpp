// The language that is detected: openai-whisper's, of the first windows that hold speech, told.
#include "app/engine/windows/language_choice.h"

#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "app/options/exit_code.h"
#include "tests/app/engine/language_fixture.h"
#include "tests/nano/nano_ctranslate2.h"
#include "tests/nano/nano_golden.h"
#include "tests/support/model_run.h"
#include "tests/support/random_matrix.h"
#include "tests/support/reference_data.h"
#include "tests/support/temporary_folder.h"

using namespace wnpu;  // NOLINT
using tests::has_warning;
using tests::LanguageFixture;
using tests::Sound;

TEST_CASE("language: of a recording shorter than a window it is openai-whisper's") {
  for (const std::string name : {"nano80", "nano128"}) {
    CAPTURE(name);
    const auto golden = tests::data_json("nano/" + name + ".json");
    Session session = tests::session_of(tests::nano_golden_dir(name) / "ct2");
    const TranscribeOptions options = tests::single_try(1, 2, "");
    const auto found = session.transcribe({.path = tests::data_file(golden["recording"])}, options);
    CHECK(found.language == golden["language_detected"].get<std::string>());
    for (const auto& guess : found.language_probs) {
      CAPTURE(guess.first);
      CHECK(std::abs(guess.second - golden["language_probs"][guess.first].get<double>()) < 1e-4);
    }
  }
}

TEST_CASE("language: windows vote, and of two languages with as many the first is taken") {
  LanguageFixture f;
  f.hear({Sound::noise, Sound::square, Sound::square, Sound::noise});
  const auto noise = f.of_window(0).language_probs;
  const auto square = f.of_window(1).language_probs;
  REQUIRE(noise.front().first != square.front().first);
  REQUIRE(noise.front().second < square.front().second);
  const auto of_first = [&f](std::size_t n_windows) {
    f.options.language_detection_segments = n_windows;
    return f.run().language_probs;
  };
  CHECK(of_first(1) == noise);
  CHECK(of_first(2) == noise);  // faster-whisper's max() of a dictionary
  CHECK(of_first(3).front().first == square.front().first);
  CHECK(of_first(4).front().first == noise.front().first);
  // A window that is sure decides at once.
  f.options.language_detection_threshold = noise.front().second;
  CHECK(of_first(2) == square);
}

TEST_CASE("language: windows without speech are left out, unless there is no other") {
  LanguageFixture f;
  f.hear({Sound::square, Sound::noise});
  const auto of_first = f.of_window(0);
  const auto of_second = f.of_window(1);
  const double silence = of_first.segments.at(0).no_speech_prob;
  const double speech = of_second.segments.at(0).no_speech_prob;
  REQUIRE(silence > speech);
  CHECK(f.run().language_probs == of_first.language_probs);
  f.options.no_speech_threshold = (silence + speech) / 2;
  CHECK(f.run().language_probs == of_second.language_probs);
  CHECK_FALSE(has_warning(f.run(), "may not be speech"));
  f.options.clip_timestamps = {0, 30};  // what is not transcribed has no vote
  CHECK(f.run().language_probs == of_first.language_probs);
  CHECK(has_warning(f.run(), "may not be speech"));
  f.options.clip_timestamps = {0};
  f.options.no_speech_threshold = 0;
  CHECK(f.run().language_probs == of_first.language_probs);
}

TEST_CASE("language: a guess is told with its remedies, and what is given is none") {
  LanguageFixture f;
  f.hear({Sound::noise});
  const auto found = f.run();
  REQUIRE(found.language_probs.front().second < 0.5);
  CHECK(has_warning(found, "the language is a guess: "));
  CHECK(has_warning(found, "(" + found.language + "), probability 0."));
  for (const char* remedy : {"`language`", "`vad.enabled`", "`language_detection_segments`"})
    CHECK(has_warning(found, remedy));
  for (const std::string& warning : app::with_option_names(found).warnings)
    CHECK(warning.find('`') == std::string::npos);
  f.options.language = "en";
  CHECK(f.run().warnings.empty());
  f.options.language.clear();
  f.hear({Sound::square});
  CHECK(f.run().warnings.empty());
}

TEST_CASE(
    "language: the window it is heard in is encoded once, and gives the text of a given one") {
  LanguageFixture f;
  f.hear({Sound::noise, Sound::square});
  f.samples.resize(31 * 16000);
  f.options.sample_len = 12;
  for (const std::size_t batch_size : {1UL, 2UL}) {
    CAPTURE(batch_size);
    f.options.batch_size = batch_size;
    f.options.clip_timestamps = {0, 30.5};
    f.options.language.clear();
    const auto detected = f.run();
    f.options.language = detected.language;
    const auto given = f.run();
    CHECK(tests::segment_tokens(detected) == tests::segment_tokens(given));
    CHECK(detected.n_windows == given.n_windows);
  }
}

TEST_CASE("language: a whole window is encoded once, on a device too; a shorter one twice") {
  const tests::TemporaryFolder folder;
  tests::write_device_model(folder.path());
  const DeviceOptions sim{.requested = "sim"};
  Session session(Model(folder.path().string(), {.device = sim, .threads = 1}));
  const TranscribeOptions options = tests::single_try(1, 1, "");
  const auto samples = tests::random_vector(30 * 16000, 4, 0.3);
  for (const auto& [seconds, n_windows] : {std::pair{30U, 1U}, {5U, 2U}}) {
    const auto audio = Audio::from_samples(std::span(samples).first(seconds * 16000));
    const auto found = session.transcribe(audio, options);
    REQUIRE(found.device.npu);
    CHECK(found.device.npu->windows == n_windows);
  }
}

TEST_CASE("language: a model of English alone tells where its text is improbable, no other does") {
  const auto warnings_of = [](double logprob_of_most) {
    Transcript transcript;
    for (const auto& [n_tokens, logprob] : {std::pair{90UL, logprob_of_most}, {10UL, -2.0}}) {
      Segment& segment = transcript.segments.emplace_back();
      segment.tokens.resize(n_tokens);
      segment.avg_logprob = logprob;
    }
    app::warn_of_misfit(transcript);
    return transcript.warnings;
  };
  CHECK(warnings_of(-0.6).empty());
  REQUIRE(warnings_of(-0.9).size() == 1);
  CHECK(warnings_of(-0.9)[0].find("(mean log-probability -1.01): the recording may not be in "
                                  "English") != std::string::npos);
  Transcript empty;
  app::warn_of_misfit(empty);
  CHECK(empty.warnings.empty());
  LanguageFixture f;
  f.samples = tests::random_vector(5 * 16000, 4, 0.3);
  f.options.language = "en";
  f.options.temperature = 1;  // a text of chance
  f.options.sample_len = 12;
  CHECK_FALSE(has_warning(f.run(), "improbable"));
  const tests::TemporaryFolder folder;
  Session english = tests::english_session(folder.path());
  CHECK(has_warning(english.transcribe(f.audio(), f.options), "improbable"));
}
