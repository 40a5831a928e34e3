// What a batch tells beside its results, and how it looks on a terminal.
#include <doctest/doctest.h>

#include "tests/app/run_fixture.h"

namespace {

using namespace wnpu::app;
using wnpu::tests::fake_transcribe;
using wnpu::tests::Run;

}  // namespace

TEST_CASE(
    "run: on a terminal no text moves the cursor, in colours neither; in a file it is as it is") {
  const std::string text = "a\x1b[2J\tb";
  for (const bool is_terminal : {false, true}) {
    for (const Format format : {Format::text, Format::txt}) {
      Run run;
      run.add("a.wav", text);
      run.options.formats = {format};
      run.environment.is_terminal = is_terminal;
      CHECK(run.go() == 0);
      const std::string shown = is_terminal ? "a?[2J\tb" : text;
      CHECK(run.out() == shown + "0\n" + shown + "1\n");
    }
  }
  Run run;
  run.add("a.wav", text);
  run.environment.shows_colors = true;
  CHECK(run.go() == 0);
  CHECK(run.out().find("ma?[2J\tb0\x1b[0m\n") != std::string::npos);
}

TEST_CASE("run: a language that was detected is told before the text, unless quiet") {
  Run run;
  const std::string input = run.add("a.wav", "a");
  const auto detecting = [&run](const std::string& name, const wnpu::Callbacks& callbacks) {
    callbacks.on_beginning({"de", {{"de", 0.974}, {"en", 0.01}}, 2, {}});
    const bool is_quiet = run.options.verbosity == Verbosity::quiet;
    CHECK(run.err.str().empty() == is_quiet);
    return fake_transcribe(name, callbacks);
  };
  CHECK(run.go(detecting) == 0);
  run.options.verbosity = Verbosity::normal;
  CHECK(run.go(detecting) == 0);
  CHECK(run.err.str() ==
        "whisper-npu: " + input + ": detected language: German (de), probability 0.97\n");
  run.err.str("");
  const auto given = [](const std::string& name, const wnpu::Callbacks& callbacks) {
    callbacks.on_beginning({"de", {}, 2, {}});
    return fake_transcribe(name, callbacks);
  };
  CHECK(run.go(given) == 0);
  CHECK(run.err.str().empty());
}

TEST_CASE("run: warnings go to stderr unless quiet") {
  const auto warn = [](const std::string& input, const wnpu::Callbacks&) {
    wnpu::Transcript transcript;
    transcript.input.path = input;
    transcript.warnings = {"cut\nshort"};
    return transcript;
  };
  Run quiet;
  quiet.add("a.wav", "");
  CHECK(quiet.go(warn) == 0);
  CHECK(quiet.err.str().empty());
  Run normal;
  normal.add("a.wav", "");
  normal.options.verbosity = Verbosity::normal;
  CHECK(normal.go(warn) == 0);
  CHECK(normal.err.str().find("a.wav: cut?short\n") != std::string::npos);
}
