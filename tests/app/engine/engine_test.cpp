// The engine as another program has it: one model, sessions, audio from memory, stopping, errors.
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <thread>

#include <doctest/doctest.h>

#include "app/engine/whisper_npu.hpp"
#include "tests/app/engine/engine_fixture.h"
#include "tests/few_samples.h"
#include "tests/support/wav_file.h"

using namespace wnpu;  // NOLINT

namespace {

using Fixture = tests::EngineFixture;

auto contents(const Transcript& transcript) {
  std::vector<std::tuple<double, double, std::vector<std::int32_t>, double>> all;
  for (const Segment& s : transcript.segments)
    all.emplace_back(s.start, s.end, s.tokens, s.avg_logprob);
  return all;
}

ErrorCode code_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    CHECK_FALSE(std::string(error.what()).empty());
    return error.code();
  }
  FAIL("nothing was thrown");
  return ErrorCode::internal;
}

}  // namespace

TEST_CASE("engine: two sessions on two threads give the bits of two runs in turn") {
  Fixture f;
  if (tests::kFewSamples) f.keep_one_window();
  static const std::array<std::string, 2> kPrecisions{"int8", "fp32"};
  for (const std::string& precision : tests::some_of(kPrecisions)) {
    CAPTURE(precision);
    const Model model = f.model(precision);
    Session first(model);
    Session second(model);
    const auto expected = contents(first.transcribe(Audio::from_samples(f.samples), f.options));
    const auto of_others = contents(first.transcribe(Audio::from_samples(f.others), f.options));
    CHECK_FALSE(expected.empty());
    CHECK(expected != of_others);
    Transcript beside;
    std::thread thread(
        [&] { beside = second.transcribe(Audio::from_samples(f.others), f.options); });
    const auto found = contents(first.transcribe(Audio::from_samples(f.samples), f.options));
    thread.join();
    CHECK(found == expected);
    CHECK(contents(beside) == of_others);
  }
}

TEST_CASE("engine: tells its samples, and before the first segment what it is about to do") {
  Fixture f;
  Session session(f.model());
  for (float& sample : f.samples) {  // as they are heard: in 16 bits
    sample = std::clamp(std::nearbyint(sample * 32768), -32768.0F, 32767.0F) / 32768;
  }
  std::vector<float> heard;
  std::vector<Beginning> beginnings;
  bool was_first = false;
  Callbacks callbacks;
  callbacks.on_samples = [&](std::span<const float> samples) {
    CHECK(samples.size() <= 16000);
    heard.insert(heard.end(), samples.begin(), samples.end());
  };
  callbacks.on_beginning = [&](const Beginning& beginning) { beginnings.push_back(beginning); };
  callbacks.on_segment = [&](const Segment&) { was_first |= beginnings.empty(); };
  f.options.clip_timestamps = {1, 2, 3};
  session.transcribe(Audio::from_samples(f.samples), f.options, callbacks);
  CHECK(heard == f.samples);
  REQUIRE(beginnings.size() == 1);
  CHECK_FALSE(was_first);
  CHECK(beginnings[0].language == "en");
  CHECK(beginnings[0].duration == 40);
  CHECK(beginnings[0].clips == std::vector<std::pair<double, double>>{{1, 2}, {3, 40}});
  heard.clear();
  read_audio(Audio::from_samples(f.samples), callbacks);
  CHECK(heard == f.samples);
}

TEST_CASE("engine: temperatures in a list are tried as a first one with its steps") {
  Fixture f;
  Session session(f.model());
  f.options.best_of = 2;
  f.options.logprob_threshold = 0;  // nothing is as probable
  f.options.temperature = 0.5;
  f.options.temperature_increment_on_fallback = 0.25;
  const auto audio = Audio::from_samples(f.samples);
  const Transcript by_steps = session.transcribe(audio, f.options);
  f.options.temperature = 0;
  f.options.temperatures = {0.5, 0.75, 1};
  const Transcript listed = session.transcribe(audio, f.options);
  CHECK(contents(listed) == contents(by_steps));
  CHECK(listed.n_tokens == by_steps.n_tokens);
  f.options.temperatures = {0.5};
  CHECK(session.transcribe(audio, f.options).n_tokens < listed.n_tokens);
}

TEST_CASE("engine: stops in the middle, and keeps what was finished") {
  Fixture f;
  Session session(f.model());
  std::stop_source stop;
  std::size_t n_segments = 0;
  Callbacks callbacks;
  callbacks.on_segment = [&](const Segment&) {
    ++n_segments;
    stop.request_stop();
  };
  const Transcript cut =
      session.transcribe(Audio::from_samples(f.samples), f.options, callbacks, stop.get_token());
  CHECK(cut.truncated);
  CHECK(cut.segments.size() == n_segments);
  CHECK(n_segments > 0);
  const Transcript whole = session.transcribe(Audio::from_samples(f.samples), f.options);
  CHECK_FALSE(whole.truncated);
  CHECK(whole.segments.size() > n_segments);
}

TEST_CASE(
    "engine: what should_stop throws reaches the caller, at whichever question it is thrown") {
  struct Own {};
  Fixture f;
  f.samples.resize(16000);
  const std::string path = f.folder.path() / "noise.wav";
  tests::write_wav(path, f.samples);
  Session session(f.model());
  std::atomic<int> n_left = 0;
  Callbacks callbacks;
  callbacks.should_stop = [&n_left]() -> bool {
    if (n_left-- == 0) throw Own();
    return false;
  };
  RecordingCallbacks of_each;
  of_each.should_stop = callbacks.should_stop;
  for (const Audio& audio : {Audio{.path = path}, Audio::from_samples(f.samples)}) {
    for (const int n_questions : {0, 1, 2, 3, 4, 6, 9, 15, 25}) {
      CAPTURE(n_questions);
      n_left = n_questions;
      CHECK_THROWS_AS(session.transcribe(audio, f.options, callbacks), Own);
      n_left = n_questions;
      bool is_given = false;
      of_each.next = [&](const AtWork&) -> std::optional<Recording> {
        if (std::exchange(is_given, true)) return {};
        return Recording{audio};
      };
      of_each.done = [](std::size_t, const Transcript&, const std::exception_ptr&) {};
      CHECK_THROWS_AS(session.transcribe_each(1, f.options, of_each), Own);
    }
    n_left = 0;
    CHECK_THROWS_AS(read_audio(audio, callbacks), Own);
  }
  CHECK_FALSE(session.transcribe({.path = path}, f.options).segments.empty());
}

TEST_CASE(
    "engine: whoever asks to stop before a file is open gets no transcript, later a cut one") {
  Fixture f;
  f.samples.resize(5 * 16000);
  const std::string path = f.folder.path() / "noise.wav";
  tests::write_wav(path, f.samples);
  Session session(f.model());
  std::stop_source stop;
  stop.request_stop();
  const std::stop_token stopped = stop.get_token();
  CHECK(code_of([&] { session.transcribe({.path = path}, f.options, {}, stopped); }) ==
        ErrorCode::stopped);
  RecordingCallbacks of_each;
  of_each.next = [&](const AtWork&) { return Recording{{.path = path}}; };
  ErrorCode failed = ErrorCode::internal;
  of_each.done = [&](std::size_t, const Transcript&, const std::exception_ptr& failure) {
    REQUIRE(failure);
    failed = code_of([&] { std::rethrow_exception(failure); });
  };
  session.transcribe_each(1, f.options, of_each, stopped);
  CHECK(failed == ErrorCode::stopped);
  bool is_heard = false;
  Callbacks callbacks;
  callbacks.on_samples = [&is_heard](std::span<const float>) { is_heard = true; };
  callbacks.should_stop = [&is_heard] { return is_heard; };
  CHECK(session.transcribe({.path = path}, f.options, callbacks).truncated);
  is_heard = false;
  CHECK(read_audio({.path = path}, callbacks).truncated);
}

TEST_CASE("engine: errors have a code, and what a callback throws is left as it is") {
  Fixture f;
  CHECK(code_of([] { Model("./none"); }) == ErrorCode::model);
  CHECK(code_of([&] { f.model("fp7"); }) == ErrorCode::usage);
  const Model model = f.model();
  Session session(model);
  CHECK(code_of([&] { session.transcribe({.path = "/none.wav"}); }) == ErrorCode::audio);
  CHECK(code_of([&] { session.transcribe({}); }) == ErrorCode::audio);
  const Audio audio = Audio::from_samples(f.samples);
  TranscribeOptions wrong = f.options;
  wrong.suppress_tokens = {1000000};
  CHECK(code_of([&] { session.transcribe(audio, wrong); }) == ErrorCode::usage);
  std::stop_source stop;
  stop.request_stop();
  const Transcript nothing = session.transcribe(audio, f.options, {}, stop.get_token());
  CHECK(nothing.truncated);
  CHECK(nothing.segments.empty());
  struct Own {};
  Callbacks callbacks;
  callbacks.on_segment = [](const Segment&) { throw Own(); };
  CHECK_THROWS_AS(session.transcribe(audio, f.options, callbacks), Own);
  CHECK_FALSE(session.transcribe(audio, f.options).segments.empty());
}
