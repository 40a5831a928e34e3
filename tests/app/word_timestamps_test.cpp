// Words of short texts and short recordings, on a small random model: whatever is decoded, words
// are in order, within their segment and the file, and say what the segment says.
#include <algorithm>
#include <filesystem>

#include <doctest/doctest.h>

#include "app/engine/windows/window_loop.h"
#include "models/text/word_split.h"
#include "tests/nano/nano_ctranslate2.h"
#include "tests/support/model_run.h"
#include "tests/support/random_matrix.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/wav_file.h"

using namespace wnpu;  // NOLINT

namespace {

void check_words(const Transcript& transcript) {
  double at = 0;
  for (const auto& segment : transcript.segments) {
    CHECK(segment.start <= segment.end);
    std::string text;
    for (const auto& word : segment.words) {
      CHECK(word.start >= std::max(at, segment.start));
      CHECK(word.end >= word.start);
      CHECK(word.end <= std::min(segment.end, transcript.input.duration + 1e-9));
      CHECK(word.probability >= 0);
      CHECK(word.probability <= 1);
      at = word.end;
      text += word.text;
    }
    CHECK(text == segment.text);
  }
}

struct WordsFixture {
  WordsFixture() {
    tests::write(tests::to_ctranslate2(tests::make_nano_model(), tests::Ct2Quantization::float16),
                 folder.path() / "model");
  }

  void check(app::Recognizer& recognizer, std::size_t n_samples, double loudness,
             TranscribeOptions options) {
    CAPTURE(n_samples);
    CAPTURE(loudness);
    CAPTURE(options.sample_len);
    CAPTURE(options.beam_size);
    const auto path = folder.path() / "noise.wav";
    tests::write_wav(path, tests::random_vector(n_samples, n_samples, loudness));
    options.language = "en";
    options.word_timestamps = true;
    options.temperature_increment_on_fallback.reset();
    options.no_speech_threshold.reset();
    check_words(app::transcribe_file(recognizer, options, {path, {}}));
  }

  tests::TemporaryFolder folder;
};

}  // namespace

TEST_CASE("word timestamps: texts of one to six tokens, in every precision, greedy and beam") {
  WordsFixture f;
  for (const auto precision :
       {models::Precision::fp32, models::Precision::int16, models::Precision::int8}) {
    app::Recognizer recognizer(tests::load(f.folder.path() / "model", precision), 2);
    for (std::size_t n_tokens = 1; n_tokens <= 6; ++n_tokens) {
      TranscribeOptions options;
      options.sample_len = n_tokens;
      options.beam_size = n_tokens % 2 == 0 ? 1 : 3;
      f.check(recognizer, 1600, 0.3, options);
    }
  }
}

TEST_CASE("word timestamps: recordings of one to a few frames, loud and silent") {
  WordsFixture f;
  app::Recognizer recognizer(tests::load(f.folder.path() / "model"), 2);
  TranscribeOptions options;
  options.beam_size = 1;
  options.sample_len = 5;
  for (const std::size_t n_frames : {1UL, 2UL, 3UL, 4UL, 5UL, 6UL, 9UL, 16UL}) {
    f.check(recognizer, n_frames * 160, 0.3, options);
    f.check(recognizer, n_frames * 160, 0, options);
  }
  options.without_timestamps = true;  // the second window has 2 frames
  f.check(recognizer, (3000 + 2) * 160, 0.3, options);
}

TEST_CASE("word timestamps: a text as long as the context leaves room for its alignment") {
  WordsFixture f;
  app::Recognizer recognizer(tests::load(f.folder.path() / "model"), 2);
  TranscribeOptions options;
  options.beam_size = 1;
  options.sample_len = recognizer.dims().n_text_ctx;
  options.without_timestamps = true;
  options.suppress_tokens.push_back(recognizer.vocabulary().eot());
  f.check(recognizer, 320, 0.3, options);
}

TEST_CASE("word timestamps: a translation is split as English, whatever was spoken") {
  WordsFixture f;
  app::Recognizer recognizer(tests::load(f.folder.path() / "model"), 2);
  const auto path = f.folder.path() / "noise.wav";
  tests::write_wav(path, tests::random_vector(16000, 16000, 0.3));
  TranscribeOptions options;
  options.language = "zh";
  options.task = Task::translate;
  options.word_timestamps = true;
  options.temperature_increment_on_fallback.reset();
  options.no_speech_threshold.reset();
  options.prepend_punctuations = options.append_punctuations = "";
  options.without_timestamps = true;
  options.sample_len = 40;
  const Transcript transcript = app::transcribe_file(recognizer, options, {path, {}});
  REQUIRE(!transcript.segments.empty());
  std::size_t n_pieces = 0;
  std::size_t n_words = 0;
  for (const Segment& segment : transcript.segments) {
    std::vector<models::TokenId> text(segment.tokens);
    std::erase_if(text, [&](auto token) { return token >= recognizer.vocabulary().eot(); });
    std::vector<std::string> expected;
    for (const auto& word : models::split_on_spaces(recognizer.vocabulary(), text)) {
      expected.push_back(word.text);
    }
    std::vector<std::string> found;
    for (const auto& word : segment.words) found.push_back(word.text);
    CHECK(found == expected);
    n_pieces += models::split_on_unicode(recognizer.vocabulary(), text).size();
    n_words += found.size();
  }
  CHECK(n_pieces > n_words);
}
