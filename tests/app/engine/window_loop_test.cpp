// The window loop on a small random model: what a clip gives does not depend on its neighbours.
#include "app/engine/windows/window_loop.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <numeric>

#include <doctest/doctest.h>

#include "app/engine/whisper_npu.hpp"
#include "app/engine/windows/window_options.h"
#include "models/base/error.h"
#include "models/files/open_model.h"
#include "tests/few_samples.h"
#include "tests/nano/nano_ctranslate2.h"
#include "tests/support/model_run.h"
#include "tests/support/random_matrix.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/wav_file.h"

using namespace wnpu;  // NOLINT

namespace {

// A model and 50 s of noise whose loudness changes, so that windows differ.
struct ClipLoopFixture {
  ClipLoopFixture() {
    tests::write_wav(folder.path() / "noise.wav", tests::uneven_noise(50 * 16000, 4));
    tests::write(tests::to_ctranslate2(tests::make_nano_model(), tests::Ct2Quantization::float16),
                 folder.path() / "model");
    session = std::make_unique<Session>(tests::session_of(folder.path() / "model"));
  }

  Transcript run(TranscribeOptions options, const Callbacks& callbacks = {}) {
    options.language = "en";
    options.beam_size = 1;
    options.sample_len = 12;
    options.temperature_increment_on_fallback.reset();
    options.no_speech_threshold.reset();
    return session->transcribe({.path = folder.path() / "noise.wav"}, options, callbacks);
  }

  tests::TemporaryFolder folder;
  std::unique_ptr<Session> session;
};

}  // namespace

TEST_CASE("clip loop: clips decoded together give what each gives alone, in order") {
  ClipLoopFixture f;
  TranscribeOptions together;
  together.clip_timestamps = {0, 12, 12, 20, 25, 50};
  together.batch_size = 3;
  const auto batch = f.run(together);
  REQUIRE_FALSE(batch.segments.empty());
  std::vector<std::vector<models::TokenId>> alone;
  for (const auto& clip : {std::pair{0.0, 12.0}, {12.0, 20.0}, {25.0, 50.0}}) {
    TranscribeOptions one;
    one.clip_timestamps = {clip.first, clip.second};
    one.batch_size = 2;
    for (auto& t : tests::segment_tokens(f.run(one))) alone.push_back(std::move(t));
  }
  CHECK(tests::segment_tokens(batch) == alone);
  together.batch_size = 2;  // the third clip takes the place of whichever ends first
  CHECK(tests::segment_tokens(f.run(together)) == alone);
  for (std::size_t i = 0; i < batch.segments.size(); ++i) {
    CHECK(batch.segments[i].id == i);
    if (i > 0) CHECK(batch.segments[i].seek >= batch.segments[i - 1].seek);
  }
}

TEST_CASE("clip loop: segments of clips stay within their clips, in order, without overlap") {
  ClipLoopFixture f;
  TranscribeOptions options;
  const std::vector<double> bounds = {0, 4, 4, 9.5, 9.5, 12, 14, 21, 21, 23, 23.5, 40, 40, 50};
  options.clip_timestamps = bounds;
  std::vector<std::vector<std::vector<models::TokenId>>> runs;
  constexpr std::array kBatchSizes{3UL, 2UL, 8UL};
  for (const std::size_t batch_size : tests::some_of(kBatchSizes)) {
    options.batch_size = batch_size;
    const auto found = f.run(options);
    double last_end = 0;
    std::vector<bool> is_decoded(bounds.size() / 2);
    for (const auto& segment : found.segments) {
      std::size_t clip = 0;
      while (static_cast<double>(segment.seek) >= 100 * bounds[2 * clip + 1]) ++clip;
      is_decoded[clip] = true;
      CHECK(segment.start >= std::max(last_end, bounds[2 * clip]));
      CHECK(segment.end >= segment.start);
      CHECK(segment.end <= bounds[2 * clip + 1]);
      last_end = segment.end;
    }
    CHECK(std::ranges::count(is_decoded, true) == static_cast<int>(is_decoded.size()));
    runs.push_back(tests::segment_tokens(found));
  }
  for (const auto& run : runs) CHECK(run == runs[0]);
}

TEST_CASE("clip loop: the text before is a prompt in one mode and not in the other") {
  ClipLoopFixture f;
  TranscribeOptions conditioned;
  TranscribeOptions free;
  free.condition_on_previous_text = false;
  const auto with = tests::segment_tokens(f.run(conditioned));
  const auto without = tests::segment_tokens(f.run(free));
  REQUIRE(with.size() > 1);
  CHECK(with.front() == without.front());
  CHECK(with != without);
}

TEST_CASE("clip loop: whitespace around a prompt, as Python counts it, is no part of it") {
  ClipLoopFixture f;
  const auto run = [&](const std::string& prompt) {
    TranscribeOptions options;
    options.initial_prompt = prompt;
    return tests::segment_tokens(f.run(options));
  };
  const auto without = run("");
  const auto with = run("well");
  REQUIRE(with != without);
  const std::array<std::string, 3> spaces{" \x1c\u2003 ", "\u3000", "\u00a0\n"};
  for (const std::string& space : tests::some_of(spaces)) {
    CHECK(run(space) == without);
    CHECK(run(space + "well" + space) == with);
  }
}

TEST_CASE("clip loop: a carried prompt leaves of what was said what openai-whisper leaves") {
  ClipLoopFixture f;
  const auto file = models::open_model(f.folder.path() / "model");
  const models::Vocabulary vocabulary(file->token_bytes(), file->dims(), file->path());
  const std::size_t half = file->dims().n_text_ctx / 2 - 1;
  const std::string language = "en";
  TranscribeOptions options;
  options.carry_initial_prompt = true;
  for (std::size_t n = 1; n < half + 4; ++n) {
    options.initial_prompt = options.initial_prompt + "w";
    const app::WindowOptions window_options(options, file->dims(), vocabulary, language);
    app::Context context = window_options.first_context();
    std::vector<models::TokenId> expected = context.all_tokens;
    const std::size_t n_carried = expected.size();
    std::vector<models::TokenId> said(2 * half);
    std::iota(said.begin(), said.end(), 5);
    context.all_tokens.insert(context.all_tokens.end(), said.begin(), said.end());
    // transcribe.py: all_tokens[nignored:][-remaining_prompt_length:]
    const std::size_t first =
        n_carried < half ? said.size() - (half - n_carried) : n_carried - half;
    expected.insert(expected.end(), said.begin() + static_cast<std::ptrdiff_t>(first), said.end());
    CAPTURE(n_carried);
    CHECK(window_options.at({0, 3000}, context, 0).prompt == expected);
  }
}

TEST_CASE("clip loop: a short recording waits for no long one, and these go on beside it") {
  const ClipLoopFixture f;
  app::Recognizer recognizer(tests::load(f.folder.path() / "model"), 1);
  const auto options = tests::single_try(1, 20);
  const Callbacks callbacks;
  const audio::Input long_input{f.folder.path() / "noise.wav", {}};
  tests::write_wav(f.folder.path() / "short.wav", tests::uneven_noise(2 * 16000, 5));
  const audio::Input short_input{f.folder.path() / "short.wav", {}};
  app::TranscriptionJob longer(recognizer, options, long_input, callbacks, {});
  app::TranscriptionJob shorter(recognizer, options, short_input, callbacks, {});
  longer.begin();
  shorter.begin();
  app::WindowLoop loop(recognizer, {.n_together = 1, .n_of_short = 1}, {});
  std::array<app::TranscriptionJob*, 2> jobs{&longer, &shorter};
  loop.turn(std::span(jobs).first(1));
  const std::uint64_t n_before = loop.steps().n;
  const std::uint64_t n_windows_before = loop.steps().n_windows;
  while (!shorter.is_done()) {
    loop.turn(jobs);
    for (app::TranscriptionJob* const job : jobs) job->emit_segments();
  }
  CHECK_FALSE(longer.is_done());
  const std::uint64_t n_steps = loop.steps().n - n_before;
  CHECK(n_steps >= 8);
  CHECK(n_steps <= 20);  // one for each token, from the first turn on
  CHECK(loop.steps().n_windows - n_windows_before == n_steps + n_steps / 8);
}
