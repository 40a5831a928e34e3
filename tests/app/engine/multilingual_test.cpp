// Recordings in several languages: each window in its own, which a slice alone does not change.
#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "app/engine/windows/window_languages.h"
#include "tests/app/engine/language_fixture.h"
#include "tests/nano/nano_ctranslate2.h"
#include "tests/support/temporary_folder.h"

using namespace wnpu;  // NOLINT
using app::LanguageProbs;
using tests::LanguageFixture;
using tests::Sound;

namespace {

// A slice's probabilities of German and English.
LanguageProbs slice_of(double german, double english) {
  return {{"de", german}, {"en", english}, {"fr", 1 - german - english}};
}

std::string run_of(const std::vector<LanguageProbs>& slices, const std::string& current) {
  const app::LanguageRun run = app::first_run(slices, current);
  return run.language + std::to_string(run.n_slices);
}

std::string languages_of(const Transcript& transcript) {
  std::string all;
  for (const Segment& segment : transcript.segments)
    all += std::to_string(segment.seek) + segment.language + " ";
  return all;
}

}  // namespace

TEST_CASE("multilingual: a slice that is not sure changes no language, those that are do") {
  const LanguageProbs english = slice_of(0.01, 0.9);
  const LanguageProbs german = slice_of(0.9, 0.01);
  const LanguageProbs odd = slice_of(0.6, 0.2);
  CHECK(run_of({english, english}, "en") == "en2");
  CHECK(run_of({english, odd, english}, "en") == "en3");
  CHECK(run_of({odd}, "en") == "en1");
  CHECK(run_of({odd}, "de") == "de1");
  CHECK(run_of({odd, odd, odd}, "en") == "de3");  // exp(3) is 20.1, a slice says 3, all 27
  CHECK(run_of({english, german, german}, "en") == "en1");
  CHECK(run_of({german, german, english}, "en") == "de2");
  CHECK(run_of({english, slice_of(0.7, 0.01), english}, "en") == "en3");  // 70 for it, 400 against
}

TEST_CASE("multilingual: slices without speech go with their neighbours") {
  const LanguageProbs silence;
  const LanguageProbs german = slice_of(0.9, 0.001);
  CHECK(run_of({silence}, "en") == "en1");
  CHECK(run_of({silence, silence}, "de") == "de2");
  CHECK(run_of({german, silence, german}, "en") == "de3");
  const std::string both = run_of({silence, german}, "en");
  CHECK((both == "en1" || both == "de2"));
}

TEST_CASE("multilingual: each window is in its own language, and as if it were alone") {
  LanguageFixture f;
  f.hear({Sound::noise, Sound::square, Sound::noise});
  f.options.sample_len = 12;
  f.options.without_timestamps = true;
  f.options.temperature = 0;
  const std::string noise = f.of_window(0).language;
  const std::string square = f.of_window(1).language;
  REQUIRE(noise != square);
  for (const Segment& segment : f.run().segments) CHECK(segment.language.empty());
  f.options.multilingual = true;
  const Transcript all = f.run();
  CHECK(all.language == noise);
  CHECK(languages_of(all) == "0" + noise + " 3000" + square + " 6000" + noise + " ");
  CHECK(all.n_windows == 3);
  f.options.multilingual = false;
  for (const std::size_t i : {0UL, 1UL, 2UL}) {
    CAPTURE(i);
    CHECK(all.segments.at(i).tokens == f.of_window(i).segments.at(0).tokens);
  }
}

TEST_CASE("multilingual: clips of a batch have the languages of a run one by one") {
  LanguageFixture f;
  f.hear({Sound::noise, Sound::square, Sound::square, Sound::noise});
  f.options.multilingual = true;
  f.options.clip_timestamps = {0, 30, 30, 60, 60, 90, 90, 120};
  const std::string expected = languages_of(f.run());
  for (const std::size_t batch_size : {2UL, 3UL, 8UL}) {
    CAPTURE(batch_size);
    f.options.batch_size = batch_size;
    CHECK(languages_of(f.run()) == expected);
  }
}

TEST_CASE("multilingual: a window ends in the pause at which another language begins") {
  constexpr std::size_t kPause = 1320;
  models::LogMel mel{models::Matrix(80, 3000)};
  for (std::size_t m = 0; m < 80; ++m) {
    auto row = mel.values.row(m);
    for (std::size_t i = 0; i < row.size(); ++i)
      row[i] = i >= kPause && i < kPause + 20 ? -1.0F : 1.0F;
  }
  // English up to the pause, then German; what has both is heard by its shares.
  const auto hear = [](std::size_t begin, std::size_t end) {
    const auto size = static_cast<double>(end - begin);
    const double before = kPause + 10.0 - static_cast<double>(begin);
    const double german = 0.998 * (1 - std::clamp(before, 0.0, size) / size) + 0.001;
    return decoder::HeardLanguages{slice_of(german, 0.999 - german), 0};
  };
  const auto first = app::first_stretch({hear, mel, 3000, {}}, "en");
  CHECK(first.language == "en");
  CHECK(first.size == kPause + 10);
  const auto whole = app::first_stretch({hear, mel, kPause, {}}, "de");
  CHECK(whole.language == "en");
  CHECK(whole.size == kPause);
}

TEST_CASE("multilingual: a given language is that of what comes first, and of what is no speech") {
  LanguageFixture f;
  f.hear({Sound::square, Sound::noise});
  f.options.multilingual = true;
  f.options.language = "cy";
  f.options.no_speech_threshold = 0;
  f.options.logprob_threshold.reset();
  f.options.without_timestamps = true;
  const Transcript silence = f.run();
  CHECK(silence.language == "cy");
  for (const Segment& segment : silence.segments) CHECK(segment.language == "cy");
}

TEST_CASE("multilingual: a model of English alone warns, and has one language") {
  LanguageFixture f;
  const tests::TemporaryFolder folder;
  Session english = tests::english_session(folder.path());
  f.hear({Sound::noise});
  f.options.multilingual = true;
  const Transcript found = english.transcribe(f.audio(), f.options);
  CHECK(tests::has_warning(found, "`multilingual` has no effect"));
  for (const Segment& segment : found.segments) CHECK(segment.language.empty());
}

TEST_CASE("multilingual: a whole window is encoded once, on a device too") {
  const tests::TemporaryFolder folder;
  tests::write_device_model(folder.path());
  const DeviceOptions sim{.requested = "sim"};
  Session session(Model(folder.path().string(), {.device = sim, .threads = 1}));
  LanguageFixture f;
  f.hear({Sound::noise, Sound::noise});
  f.options.multilingual = true;
  f.options.language = "en";
  f.options.no_speech_threshold = 0;  // none is speech: no change
  f.options.logprob_threshold = -100;
  f.options.clip_timestamps = {0, 30, 30, 60};
  for (const std::size_t batch_size : {1UL, 2UL}) {
    f.options.batch_size = batch_size;
    const Transcript found = session.transcribe(f.audio(), f.options);
    REQUIRE(found.device.npu);
    CHECK(found.device.npu->windows == 2);
    CHECK(found.n_windows == 2);
  }
}
