#include "app/stream/stream_recognizer.h"

#include <cstdint>
#include <span>
#include <vector>

#include <doctest/doctest.h>

#include "app/stream/stream_options.h"
#include "tests/nano/nano_ctranslate2.h"
#include "tests/support/model_run.h"
#include "tests/support/small_model.h"
#include "tests/support/temporary_folder.h"

using namespace wnpu;       // NOLINT
using namespace wnpu::app;  // NOLINT

namespace {

// Session with random weights, which find no language likely, and doubt all that they say.
Session small_session(const tests::TemporaryFolder& folder) {
  tests::write(tests::to_ctranslate2(tests::small_model(), tests::Ct2Quantization::float16),
               folder.path() / "model");
  return tests::session_of(folder.path() / "model");
}

TranscribeOptions short_options() {
  TranscribeOptions options;
  options.sample_len = 10;
  options.logprob_threshold.reset();
  options.compression_ratio_threshold.reset();
  options.no_speech_threshold.reset();
  return options;
}

}  // namespace

TEST_CASE("stream recognizer: an unlikely language is not taken before much was heard") {
  const tests::TemporaryFolder folder;
  Session session = small_session(folder);
  StreamRecognizer recognizer(session, short_options(), {});
  const std::vector<std::int16_t> samples(std::size_t{4} * 16000, 1000);
  HeardAudio heard{.samples = std::span(samples).first(2 * 16000),
                   .before = {},
                   .begun = {},
                   .language = {},
                   .heard_s = 2};
  CHECK_FALSE(recognizer.hear(heard).has_value());
  heard.is_last_try = true;  // all that there is
  const auto last = recognizer.hear(heard);
  heard.is_last_try = false;
  heard.samples = samples;
  const auto longer = recognizer.hear(heard);
  for (const auto& hypothesis : {last, longer}) {
    REQUIRE(hypothesis.has_value());
    CHECK_FALSE(hypothesis->language.empty());
  }
  heard.language = longer->language == "de" ? "fr" : "de";  // that of the text before goes on
  const auto next = recognizer.hear(heard);
  REQUIRE(next.has_value());
  CHECK(next->language == heard.language);
}

TEST_CASE(
    "stream recognizer: work for the same end of the stream adds up, and begins anew behind") {
  const tests::TemporaryFolder folder;
  Session session = small_session(folder);
  bool is_hurried = false;
  TranscribeOptions options;
  options.sample_len = 10;
  StreamRecognizer recognizer(session, options, [&] { return is_hurried; });
  const std::vector<std::int16_t> samples(std::size_t{8} * 16000, 1000);
  HeardAudio heard{.samples = samples, .before = {}, .begun = {}, .language = {}, .heard_s = 8};
  recognizer.hear(heard);
  const double first = recognizer.work_s();
  REQUIRE(first > 0);
  is_hurried = true;  // given up at once
  CHECK_FALSE(recognizer.hear(heard).has_value());
  CHECK(recognizer.work_s() > first);
  heard.heard_s = 9;
  CHECK_FALSE(recognizer.hear(heard).has_value());
  CHECK(recognizer.work_s() > 0);
  CHECK(recognizer.work_s() < first);
}

TEST_CASE("stream recognizer: by default it hears what a file's does") {
  const TranscribeOptions file;
  const TranscribeOptions stream = StreamOptions().work.transcribe;
  CHECK(stream.pool_padding == file.pool_padding);
  CHECK(stream.beam_size == file.beam_size);
  CHECK(stream.temperature_increment_on_fallback == file.temperature_increment_on_fallback);
}
