#include "app/stream/stream_recognizer.h"

#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include "tests/nano/nano_ctranslate2.h"
#include "tests/support/model_run.h"
#include "tests/support/small_model.h"
#include "tests/support/temporary_folder.h"

using namespace wnpu;       // NOLINT
using namespace wnpu::app;  // NOLINT

TEST_CASE(
    "stream recognizer: work for the same end of the stream adds up, and begins anew behind") {
  const tests::TemporaryFolder folder;
  tests::write(tests::to_ctranslate2(tests::small_model(), tests::Ct2Quantization::float16),
               folder.path() / "model");
  Session session = tests::session_of(folder.path() / "model");
  bool is_hurried = false;
  TranscribeOptions options;
  options.sample_len = 10;
  StreamRecognizer recognizer(session, options, [&] { return is_hurried; });
  const std::vector<std::int16_t> samples(std::size_t{8} * 16000, 1000);
  HeardAudio heard{.samples = samples, .before = {}, .begun = {}, .heard_s = 8};
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
