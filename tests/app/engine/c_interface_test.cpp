// The engine as a C program has it: the same results as in C++, and nothing that a caller gets
// wrong ends it.
#include <cmath>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "app/engine/whisper_npu.h"
#include "app/engine/whisper_npu.hpp"
#include "tests/app/engine/c_struct.h"
#include "tests/app/engine/engine_fixture.h"
#include "tests/support/wav_file.h"

using namespace wnpu;  // NOLINT

namespace {

using tests::initial;
using Status = whisper_npu_status;

// How a model and a session in C look.
struct Opened {
  explicit Opened(const tests::EngineFixture& f) {
    auto options = initial<whisper_npu_model_options>();
    options.device = "cpu";
    options.cpu_precision = "fp32";
    options.threads = 1;
    REQUIRE(whisper_npu_model_open(f.path().c_str(), &options, &model) == WHISPER_NPU_OK);
    REQUIRE(whisper_npu_session_open(model, 0, &session) == WHISPER_NPU_OK);
  }
  ~Opened() {
    whisper_npu_model_free(model);
    whisper_npu_session_free(session);
  }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;

  whisper_npu_model* model = nullptr;
  whisper_npu_session* session = nullptr;
};

whisper_npu_audio audio_of(const std::vector<float>& samples) {
  auto audio = initial<whisper_npu_audio>();
  audio.samples = samples.data();
  audio.n_samples = samples.size();
  return audio;
}

whisper_npu_transcribe_options options_of(const tests::EngineFixture& f) {
  auto options = initial<whisper_npu_transcribe_options>();
  options.language = "en";
  options.beam_size = f.options.beam_size;
  options.sample_len = f.options.sample_len;
  options.temperature_increment_on_fallback = NAN;
  options.no_speech_threshold = NAN;
  return options;
}

void check_same(const whisper_npu_segment& c, const Segment& segment) {
  CHECK(c.id == segment.id);
  CHECK(c.seek == segment.seek);
  CHECK(c.start == segment.start);
  CHECK(c.end == segment.end);
  CHECK(c.text == segment.text);
  CHECK(std::vector(c.tokens, c.tokens + c.n_tokens) == segment.tokens);
  CHECK(c.temperature == segment.temperature);
  CHECK(c.avg_logprob == segment.avg_logprob);
  CHECK(c.compression_ratio == segment.compression_ratio);
  CHECK(c.no_speech_prob == segment.no_speech_prob);
  CHECK(c.language == segment.language);
  REQUIRE(c.n_words == segment.words.size());
  for (std::size_t i = 0; i < c.n_words; ++i) {
    CHECK(c.words[i]->text == segment.words[i].text);
    CHECK(c.words[i]->start == segment.words[i].start);
    CHECK(c.words[i]->end == segment.words[i].end);
    CHECK(c.words[i]->probability == segment.words[i].probability);
  }
}

}  // namespace

TEST_CASE("c interface: a transcript, its words and what a callback sees are those of C++") {
  const tests::EngineFixture f;
  const Opened c(f);
  CHECK(whisper_npu_model_device(c.model) == std::string("cpu"));
  CHECK(whisper_npu_model_is_multilingual(c.model) == (f.model().is_multilingual() ? 1 : 0));
  CHECK(whisper_npu_session_threads(c.session) == 1);
  auto options = options_of(f);
  options.word_timestamps = 1;
  TranscribeOptions same = f.options;
  same.word_timestamps = true;
  Session session(f.model());
  const Transcript expected = session.transcribe(Audio::from_samples(f.samples), same);
  REQUIRE_FALSE(expected.segments.empty());

  struct Seen {
    const Transcript* expected;
    std::size_t n = 0;
    double done_s = 0;
  } seen{&expected};
  auto callbacks = initial<whisper_npu_callbacks>();
  callbacks.user = &seen;
  callbacks.on_segment = [](void* user, const whisper_npu_segment* segment) {
    auto& so_far = *static_cast<Seen*>(user);
    check_same(*segment, so_far.expected->segments.at(so_far.n++));
    return 0;
  };
  callbacks.on_progress = [](void* user, double done_s, double) {
    static_cast<Seen*>(user)->done_s = done_s;
    return 0;
  };
  const auto audio = audio_of(f.samples);
  whisper_npu_transcript* t = nullptr;
  REQUIRE(whisper_npu_transcribe(c.session, &audio, &options, &callbacks, &t) == WHISPER_NPU_OK);
  CHECK(seen.n == expected.segments.size());
  CHECK(seen.done_s > 0);
  REQUIRE(whisper_npu_transcript_n_segments(t) == expected.segments.size());
  std::string text;
  for (std::size_t i = 0; i < expected.segments.size(); ++i) {
    check_same(*whisper_npu_transcript_segment(t, i), expected.segments[i]);
    text += expected.segments[i].text;
  }
  CHECK(whisper_npu_transcript_text(t) == text);
  CHECK(whisper_npu_transcript_language(t) == std::string("en"));
  CHECK(whisper_npu_transcript_duration(t) == expected.input.duration);
  CHECK(whisper_npu_transcript_is_truncated(t) == 0);
  CHECK(whisper_npu_transcript_segment(t, expected.segments.size()) == nullptr);
  CHECK(whisper_npu_transcript_segment(t, ~std::uint64_t{0}) == nullptr);
  CHECK(whisper_npu_transcript_warning(t, whisper_npu_transcript_n_warnings(t)) == nullptr);
  whisper_npu_transcript_free(t);
}

TEST_CASE("c interface: a file, its bytes, and what is not one audio") {
  const tests::EngineFixture f;
  const Opened c(f);
  const std::string path = f.folder.path() / "noise.wav";
  tests::write_wav(path, f.samples);
  const std::string content = tests::contents_of(path);
  const auto options = options_of(f);
  const auto text_of = [&](const whisper_npu_audio& audio) {
    whisper_npu_transcript* t = nullptr;
    CHECK(whisper_npu_transcribe(c.session, &audio, &options, nullptr, &t) == WHISPER_NPU_OK);
    const char* const text = whisper_npu_transcript_text(t);
    const std::string copy = text == nullptr ? "" : text;
    whisper_npu_transcript_free(t);
    return copy;
  };
  auto file = initial<whisper_npu_audio>();
  file.path = path.c_str();
  auto bytes = initial<whisper_npu_audio>();
  bytes.bytes = content.data();
  bytes.n_bytes = content.size();
  auto raw = bytes;
  raw.bytes = content.data() + 44;  // behind the header
  raw.n_bytes = content.size() - 44;
  raw.raw_format = "s16le:16000:1";
  CHECK_FALSE(text_of(file).empty());
  CHECK(text_of(bytes) == text_of(file));
  CHECK(text_of(raw) == text_of(file));

  auto none = initial<whisper_npu_audio>();
  auto both = file;
  both.samples = f.samples.data();
  auto at_null = none;
  at_null.n_samples = 5;
  auto huge = audio_of(f.samples);
  huge.n_samples = ~std::uint64_t{0};
  auto track = file;
  track.track = -2;
  for (const auto& audio : {none, both, at_null, huge, track}) {
    whisper_npu_transcript* t = nullptr;
    CHECK(whisper_npu_transcribe(c.session, &audio, &options, nullptr, &t) ==
          WHISPER_NPU_ERROR_USAGE);
    CHECK(t == nullptr);
  }
  file.path = "/none.wav";
  whisper_npu_transcript* t = nullptr;
  CHECK(whisper_npu_transcribe(c.session, &file, &options, nullptr, &t) == WHISPER_NPU_ERROR_AUDIO);
  CHECK(std::string(whisper_npu_error_text()).find("/none.wav") != std::string::npos);
  auto memory = audio_of(f.samples);
  auto with_vad = initial<whisper_npu_transcribe_options>();
  with_vad.vad_enabled = 1;
  with_vad.vad_weights = "/none.safetensors";
  CHECK(whisper_npu_transcribe(c.session, &memory, &with_vad, nullptr, &t) ==
        WHISPER_NPU_ERROR_MODEL);
  CHECK(std::string(whisper_npu_error_text()).find("/none.safetensors") != std::string::npos);
}

TEST_CASE("c interface: NULL is refused, or answered with nothing, and may be freed") {
  const tests::EngineFixture f;
  const Opened c(f);
  const auto audio = audio_of(f.samples);
  whisper_npu_model* model = c.model;
  whisper_npu_session* session = c.session;
  whisper_npu_transcript* t = nullptr;
  const Status usage = WHISPER_NPU_ERROR_USAGE;
  CHECK(whisper_npu_model_options_init(nullptr, 80) == usage);
  CHECK(whisper_npu_audio_init(nullptr, 64) == usage);
  CHECK(whisper_npu_transcribe_options_init(nullptr, 336) == usage);
  CHECK(whisper_npu_callbacks_init(nullptr, 40) == usage);
  CHECK(whisper_npu_model_open(nullptr, nullptr, &model) == usage);
  CHECK(model == nullptr);
  CHECK(whisper_npu_model_open(f.path().c_str(), nullptr, nullptr) == usage);
  CHECK(whisper_npu_session_open(nullptr, 0, &session) == usage);
  CHECK(session == nullptr);
  CHECK(whisper_npu_session_open(c.model, 0, nullptr) == usage);
  CHECK(whisper_npu_transcribe(nullptr, &audio, nullptr, nullptr, &t) == usage);
  CHECK(whisper_npu_transcribe(c.session, nullptr, nullptr, nullptr, &t) == usage);
  CHECK(whisper_npu_transcribe(c.session, &audio, nullptr, nullptr, nullptr) == usage);
  CHECK(whisper_npu_model_device(nullptr) == nullptr);
  CHECK(std::string(whisper_npu_error_text()) == "model: expected a pointer, found NULL");
  CHECK(whisper_npu_model_is_multilingual(nullptr) == 0);
  CHECK(whisper_npu_session_threads(nullptr) == 0);
  CHECK(whisper_npu_transcript_text(nullptr) == nullptr);
  CHECK(whisper_npu_transcript_language(nullptr) == nullptr);
  CHECK(whisper_npu_transcript_duration(nullptr) == 0);
  CHECK(whisper_npu_transcript_is_truncated(nullptr) == 0);
  CHECK(whisper_npu_transcript_n_segments(nullptr) == 0);
  CHECK(whisper_npu_transcript_segment(nullptr, 0) == nullptr);
  CHECK(whisper_npu_transcript_n_warnings(nullptr) == 0);
  CHECK(whisper_npu_transcript_warning(nullptr, 0) == nullptr);
  whisper_npu_model_free(nullptr);
  whisper_npu_session_free(nullptr);
  whisper_npu_transcript_free(nullptr);
  CHECK_FALSE(std::string(whisper_npu_version()).empty());
}

TEST_CASE("c interface: a callback stops the work, or throws, and the session goes on") {
  const tests::EngineFixture f;
  const Opened c(f);
  const auto options = options_of(f);
  const auto audio = audio_of(f.samples);
  const auto n_segments = [&](const whisper_npu_callbacks* callbacks, int truncated) {
    whisper_npu_transcript* t = nullptr;
    CHECK(whisper_npu_transcribe(c.session, &audio, &options, callbacks, &t) == WHISPER_NPU_OK);
    CHECK(whisper_npu_transcript_is_truncated(t) == truncated);
    const std::uint64_t n = whisper_npu_transcript_n_segments(t);
    whisper_npu_transcript_free(t);
    return n;
  };
  const std::uint64_t all = n_segments(nullptr, 0);
  int n_calls = 0;
  auto callbacks = initial<whisper_npu_callbacks>();
  callbacks.user = &n_calls;
  callbacks.on_segment = [](void* user, const whisper_npu_segment*) {
    return ++*static_cast<int*>(user);
  };
  CHECK(n_segments(&callbacks, 1) < all);
  CHECK(n_calls == 1);
  callbacks.on_segment = nullptr;
  callbacks.on_progress = [](void*, double done_s, double) { return done_s > 0 ? 1 : 0; };
  CHECK(n_segments(&callbacks, 1) < all);
  callbacks.on_progress = nullptr;
  callbacks.should_stop = [](void*) { return -1; };
  CHECK(n_segments(&callbacks, 1) == 0);

  callbacks.should_stop = nullptr;
  whisper_npu_transcript* t = nullptr;
  callbacks.on_segment = [](void*, const whisper_npu_segment*) -> int { throw 5; };
  CHECK(whisper_npu_transcribe(c.session, &audio, &options, &callbacks, &t) ==
        WHISPER_NPU_ERROR_INTERNAL);
  callbacks.on_segment = [](void*, const whisper_npu_segment*) -> int {
    throw std::runtime_error("\xFF" + std::string(5000, 'x'));
  };
  CHECK(whisper_npu_transcribe(c.session, &audio, &options, &callbacks, &t) ==
        WHISPER_NPU_ERROR_INTERNAL);
  CHECK(std::string(whisper_npu_error_text()).starts_with("\xEF\xBF\xBDxxx"));
  CHECK(t == nullptr);
  callbacks.on_segment = nullptr;

  // Header of a file is read first: until then nothing can be cut short.
  const std::string path = f.folder.path() / "noise.wav";
  tests::write_wav(path, f.samples);
  auto file = initial<whisper_npu_audio>();
  file.path = path.c_str();
  callbacks.should_stop = [](void*) { return 1; };
  CHECK(whisper_npu_transcribe(c.session, &file, &options, &callbacks, &t) ==
        WHISPER_NPU_ERROR_STOPPED);
  CHECK(t == nullptr);
  callbacks.should_stop = [](void*) -> int { throw 5; };
  CHECK(whisper_npu_transcribe(c.session, &file, &options, &callbacks, &t) ==
        WHISPER_NPU_ERROR_INTERNAL);
  CHECK(t == nullptr);
  CHECK(n_segments(nullptr, 0) == all);
}

TEST_CASE("c interface: a session outlives its model, and each thread has its own error text") {
  tests::EngineFixture f;
  f.keep_one_window();
  Opened c(f);
  whisper_npu_model_free(std::exchange(c.model, nullptr));
  const auto options = options_of(f);
  const auto audio = audio_of(f.samples);
  whisper_npu_transcript* t = nullptr;
  CHECK(whisper_npu_transcribe(c.session, &audio, &options, nullptr, &t) == WHISPER_NPU_OK);
  CHECK(whisper_npu_transcript_n_segments(t) > 0);
  whisper_npu_transcript_free(t);
  whisper_npu_session* none = nullptr;
  whisper_npu_session_open(nullptr, 0, &none);
  std::string error;
  std::string other_error;
  std::thread([&] {
    error = whisper_npu_error_text();
    whisper_npu_model* model = nullptr;
    whisper_npu_model_open("./none", nullptr, &model);
    other_error = whisper_npu_error_text();
  }).join();
  CHECK(error.empty());
  CHECK(other_error.find("./none") != std::string::npos);
  CHECK(std::string(whisper_npu_error_text()).find("NULL") != std::string::npos);
}
