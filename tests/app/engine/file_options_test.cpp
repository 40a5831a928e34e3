// From a file's options to those of each of its windows, and from the engine's words to those of
// the command line.
#include <doctest/doctest.h>

#include "app/cli/exit_code.h"
#include "app/engine/windows/clips.h"
#include "decoder/search/decode_options.h"

using namespace wnpu;  // NOLINT

TEST_CASE("file options: every window has them, as the decoder takes them") {
  TranscribeOptions file;
  file.task = Task::translate;
  file.beam_size = 3;
  file.best_of = 4;
  file.patience = 1.5;
  file.length_penalty = 0.25;
  file.repetition_penalty = 1.25;
  file.no_repeat_ngram_size = 2;
  file.seed = 7;
  file.suppress_tokens = {5, 6};
  file.suppress_blank = false;
  file.max_initial_timestamp.reset();
  file.without_timestamps = true;
  file.sample_len = 9;
  const auto window = decoder::decode_options_of(file);
  CHECK(window.task == decoder::Task::translate);
  CHECK(window.beam_size == 3);
  CHECK(window.best_of == 4);
  CHECK(window.patience == 1.5F);
  CHECK(window.length_penalty == 0.25F);
  CHECK(window.repetition_penalty == 1.25F);
  CHECK(window.no_repeat_ngram_size == 2);
  CHECK(window.seed == 7);
  CHECK(window.suppress_tokens == file.suppress_tokens);
  CHECK_FALSE(window.suppress_blank);
  CHECK_FALSE(window.max_initial_timestamp);
  CHECK(window.without_timestamps);
  CHECK(window.sample_len == 9);
}

TEST_CASE("file options: one beam is greedy, no length is the decoder's own, defaults are equal") {
  TranscribeOptions file;
  file.beam_size = 1;
  const decoder::DecodeOptions normal;
  const auto window = decoder::decode_options_of(file);
  CHECK_FALSE(window.beam_size);
  CHECK_FALSE(window.sample_len);
  CHECK(window.max_initial_timestamp == normal.max_initial_timestamp);
  CHECK(window.patience == normal.patience);
  CHECK(window.suppress_tokens == normal.suppress_tokens);
}

TEST_CASE("clips: a warning names the field, and the command line the option") {
  TranscribeOptions file;
  file.clip_timestamps = {0, 12};
  std::vector<std::string> warnings;
  app::warn_of_clips_beyond(12, file, warnings);
  CHECK(warnings.empty());
  app::warn_of_clips_beyond(11, file, warnings);
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0] == "clip_timestamps: 00:12.000 is beyond the end, 00:11.000");
  CHECK(app::with_option_name(warnings[0]) ==
        "--clip-timestamps: 00:12.000 is beyond the end, 00:11.000");
  CHECK(app::with_option_name("cut short") == "cut short");
}
