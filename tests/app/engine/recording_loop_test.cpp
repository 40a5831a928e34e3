// Recordings that are transcribed together give what each gives alone.
#include <cmath>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "app/engine/whisper_npu.hpp"
#include "tests/few_samples.h"
#include "tests/nano/nano_ctranslate2.h"
#include "tests/support/model_run.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/wav_file.h"

using namespace wnpu;  // NOLINT

namespace {

struct RecordingsFixture {
  RecordingsFixture() {
    tests::write(tests::to_ctranslate2(tests::make_nano_model(), tests::Ct2Quantization::float16),
                 folder.path() / "model");
    session = std::make_unique<Session>(tests::session_of(folder.path() / "model"));
  }

  tests::TemporaryFolder folder;
  std::unique_ptr<Session> session;
};

std::vector<float> noise(std::size_t n_samples, unsigned seed) {
  return tests::uneven_noise(n_samples, seed, 3 + seed % 7);
}

// A little of everything that windows depend on; fast.
TranscribeOptions random_recording_options(std::mt19937& random) {
  const auto one_in = [&](unsigned n) { return random() % n == 0; };
  TranscribeOptions options;
  options.language = "en";
  options.beam_size = 1 + random() % 3;
  options.best_of = 2;
  options.sample_len = 8;
  if (one_in(2)) options.temperature_increment_on_fallback.reset();
  if (one_in(2)) options.no_speech_threshold.reset();
  if (one_in(3)) options.initial_prompt = "hello";
  options.word_timestamps = one_in(3);
  options.without_timestamps = one_in(4);
  options.condition_on_previous_text = !one_in(4);
  if (one_in(4)) options.clip_timestamps = {0, 1.5, 2, 31};
  return options;
}

// Results of transcribe_each by recording: heard_text, or the message of the error.
std::vector<std::string> together(Session& session, std::size_t n_together,
                                  const TranscribeOptions& options,
                                  std::span<const Recording> recordings,
                                  double most_seconds = 1e9) {
  std::vector<std::string> found(recordings.size());
  std::size_t next = 0;
  RecordingCallbacks callbacks;
  callbacks.next = [&](const AtWork& at_work) -> std::optional<Recording> {
    CHECK(at_work.n_recordings < n_together);
    if (next == recordings.size() || at_work.seconds > most_seconds) return {};
    return recordings[next++];
  };
  callbacks.done = [&](std::size_t number, const Transcript& transcript,
                       const std::exception_ptr& failure) {
    REQUIRE(number < next);
    REQUIRE(found[number].empty());  // once
    if (!failure) {
      found[number] = tests::heard_text(transcript);
      return;
    }
    try {
      std::rethrow_exception(failure);
    } catch (const Error& error) {
      found[number] = error.what();
    }
  };
  session.transcribe_each(n_together, options, callbacks);
  return found;
}

std::string alone(Session& session, TranscribeOptions options, const Recording& recording) {
  if (!recording.language.empty()) options.language = recording.language;
  try {
    return tests::heard_text(session.transcribe(recording.audio, options));
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("recordings: any of them together, in any number, give what each gives alone") {
  RecordingsFixture f;
  std::mt19937 generator(7);
  const auto random = [&] { return static_cast<unsigned>(generator()); };
  for (int round = 0; round < (tests::kFewSamples ? 2 : 6); ++round) {
    CAPTURE(round);
    const TranscribeOptions options = random_recording_options(generator);
    std::vector<std::vector<float>> samples;
    std::vector<Recording> recordings;
    const std::size_t n = 1 + random() % 6;
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t longest = i % 3 == 0 ? 31 * 16000 : 5 * 16000;
      samples.push_back(noise(random() % longest, random() % 100));
    }
    for (const auto& each : samples) {
      recordings.push_back({Audio::from_samples(each)});
      if (random() % 4 == 0) recordings.back().audio.start_s = random() % 3;  // perhaps too late
      if (random() % 4 == 0) recordings.back().audio.duration_s = 0.01 * (random() % 3500);
      if (random() % 6 == 0) recordings.back().language = random() % 2 == 0 ? "en" : "xx";
    }
    const std::size_t n_together = 1 + random() % 8;
    const double most_seconds = random() % 2 == 0 ? 1e9 : 6;
    const auto found = together(*f.session, n_together, options, recordings, most_seconds);
    for (std::size_t i = 0; i < n; ++i) {
      CAPTURE(i);
      CHECK(found[i] == alone(*f.session, options, recordings[i]));
    }
  }
}

TEST_CASE("recordings: a stretch is heard as the file that it would be") {
  RecordingsFixture f;
  TranscribeOptions options;
  options.language = "en";
  options.beam_size = 1;
  options.sample_len = 8;
  const auto samples = noise(10 * 16000, 3);
  const auto heard = [&](std::span<const float> part) {
    return tests::heard_text(f.session->transcribe(Audio::from_samples(part), options));
  };
  const auto stretch = [&](double start_s, std::optional<double> duration_s) {
    Audio audio = Audio::from_samples(samples);
    audio.start_s = start_s;
    audio.duration_s = duration_s;
    return alone(*f.session, options, {audio});
  };
  const std::span<const float> all(samples);
  CHECK(stretch(9.5, 3.0) == heard(all.subspan(152000)));  // ends with the audio
  CHECK(stretch(0, 0.0) == heard(all.first(0)));
  if (!tests::kFewSamples) {
    CHECK(stretch(2.5, 3.25) == heard(all.subspan(40000, 52000)));
    CHECK(stretch(0, {}) == heard(all));
    CHECK(stretch(9.9999375, {}) == heard(all.subspan(159999)));
  }
  CHECK(stretch(10, {}) == "memory: expected audio from 10 s on, found 10 s");
  CHECK(stretch(1e8, {}) == "memory: expected audio from 1e+08 s on, found 10 s");
  CHECK(stretch(-1, {}).find("audio.start_s: expected a number from 0") == 0);
  CHECK(stretch(0, std::nan("")).find("audio.duration_s: expected a number from 0") == 0);
}

TEST_CASE("recordings: what is at work when the work is stopped is truncated, on any thread") {
  RecordingsFixture f;
  TranscribeOptions options;
  options.language = "en";
  const auto samples = noise(65 * 16000, 1);
  std::size_t n_given = 0;
  std::vector<bool> is_truncated;
  std::stop_source stop;
  RecordingCallbacks callbacks;
  callbacks.next = [&](const AtWork&) -> std::optional<Recording> {
    if (n_given == 2) {
      stop.request_stop();
      return {};
    }
    ++n_given;
    return Recording{Audio::from_samples(samples)};
  };
  callbacks.done = [&](std::size_t, const Transcript& transcript,
                       const std::exception_ptr& failure) {
    CHECK_FALSE(failure);
    is_truncated.push_back(transcript.truncated);
  };
  f.session->transcribe_each(4, options, callbacks, stop.get_token());
  CHECK(is_truncated == std::vector<bool>{true, true});
}

TEST_CASE("recordings: limits and options that exclude it are refused") {
  RecordingsFixture f;
  const RecordingCallbacks none{[](const AtWork&) { return std::nullopt; }, {}, {}};
  TranscribeOptions options;
  options.language = "en";
  CHECK_NOTHROW(f.session->transcribe_each(64, options, none));
  CHECK_THROWS_AS(f.session->transcribe_each(0, options, none), Error);
  CHECK_THROWS_AS(f.session->transcribe_each(65, options, none), Error);
  options.batch_size = 2;
  options.clip_timestamps = {0, 1};
  CHECK_THROWS_AS(f.session->transcribe_each(2, options, none), Error);
}
