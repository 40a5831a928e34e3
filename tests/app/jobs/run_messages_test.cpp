// Messages of a batch beside its results, and their looks on a terminal.
#include <doctest/doctest.h>

#include "app/formats/shown_text.h"
#include "app/options/exit_code.h"
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

TEST_CASE("run: several files end with a line about all of them, unless quiet") {
  for (const bool is_quiet : {false, true}) {
    Run run;
    run.add("a.wav", "a");
    run.add("b.wav", "b");
    if (!is_quiet) run.options.verbosity = Verbosity::normal;
    CHECK(run.go() == 0);
    CHECK((run.err.str().find("whisper-npu: 2 files; 4.00 s of audio in 0.") == 0) == !is_quiet);
    CHECK(run.err.str().ends_with(" times real time\n") == !is_quiet);
    run.err.str("");
    run.add("c.wav", "undecodable");
    CHECK(run.go() == 1);
    CHECK((run.err.str().find("1 of 3 files failed; 4.00 s of audio") != std::string::npos) ==
          !is_quiet);
    CHECK(run.err.str().ends_with("1 of 3 files failed\n") == is_quiet);
  }
  Run one;
  one.add("a.wav", "a");
  one.options.verbosity = Verbosity::normal;
  CHECK(one.go() == 0);
  CHECK(one.err.str().empty());
}

TEST_CASE("run: a bar says which of several files it is of") {
  Run run;
  run.environment.shows_progress = true;
  run.options.verbosity = Verbosity::normal;
  run.add("a.wav", "a");
  CHECK(run.go() == 0);
  CHECK(run.err.str().find("\x1b[Ka.wav") != std::string::npos);
  run.add("b.wav", "b");
  CHECK(run.go() == 0);
  CHECK(run.err.str().find("\x1b[K1 of 2: a.wav") != std::string::npos);
  CHECK(run.err.str().find("\x1b[K2 of 2: b.wav") != std::string::npos);
}

TEST_CASE("run: colours are explained once, unless somebody has asked for them") {
  for (const Color asked : {Color::automatic, Color::always}) {
    Run run;
    run.add("a.wav", "a");
    run.add("b.wav", "b");
    run.options.verbosity = Verbosity::normal;
    run.options.color = asked;
    run.environment.shows_colors = true;
    CHECK(run.go() == 0);
    const std::string err = run.err.str();
    const std::size_t first = err.find("colours say");
    CHECK((first != std::string::npos) == (asked == Color::automatic));
    CHECK(err.find("colours say", first + 1) == std::string::npos);
  }
}

TEST_CASE("run: on a terminal lines of text end between words; in other formats they are whole") {
  for (const Format format : {Format::text, Format::json}) {
    Run run;
    run.add("a.wav", "one two three");
    run.options.formats = {format};
    run.environment.text_columns = [] { return std::size_t{8}; };
    CHECK(run.go() == 0);
    CHECK((run.out().find("one two\nthree0\n") == 0) == (format == Format::text));
    CHECK((run.out().find("one two three0") != std::string::npos) == (format == Format::json));
  }
}

TEST_CASE("terminal: lines are broken at the space before what does not fit") {
  CHECK(broken_at_words("ab cd ef\n", 0) == "ab cd ef\n");
  CHECK(broken_at_words("ab cd ef\n", 8) == "ab cd ef\n");
  CHECK(broken_at_words("ab cd ef\n", 7) == "ab cd\nef\n");
  CHECK(broken_at_words("ab cd\nef gh", 5) == "ab cd\nef gh");
  CHECK(broken_at_words(" abcdef gh", 3) == " abcdef\ngh");
  CHECK(broken_at_words("日本 語", 6) == "日本\n語");  // two columns each
  CHECK(broken_at_words("\x1b[31mab\x1b[0m cd", 5) == "\x1b[31mab\x1b[0m cd");
  CHECK(broken_at_words("\x1b[31mab\x1b[0m cd", 4) == "\x1b[31mab\x1b[0m\ncd");
  CHECK(broken_at_words("", 4).empty());
}

TEST_CASE("run: of several files a line with the name stands before each text on stdout") {
  for (const Format format : {Format::text, Format::txt}) {
    Run run;
    const std::string a = run.add("a.wav", "a");
    const std::string missing = (run.folder.path() / "missing.wav").string();
    run.options.inputs.push_back(missing);
    const std::string odd = run.add("b\nc.wav", "b");
    const std::string shown = (run.folder.path() / "b?c.wav").string();
    run.options.formats = {format};
    CHECK(run.go() == 1);
    CHECK(run.out() == "==> " + a + " <==\na0\na1\n\n==> " + shown + " <==\nb0\nb1\n");
    run.options.headers = Headers::off;
    CHECK(run.go() == 1);
    CHECK(run.out() == "a0\na1\nb0\nb1\n");
  }
}

TEST_CASE("run: a result's name has the language that was found, and replaces nothing") {
  Run run;
  run.add("a.wav", "a");
  run.options.output_template = (run.folder.path() / "{stem}.{lang}.{ext}").string();
  run.options.formats = {Format::txt};
  const auto in_german = [](const std::string& name, const wnpu::Callbacks& callbacks) {
    wnpu::Transcript transcript = fake_transcribe(name, callbacks);
    transcript.language = "de";
    return transcript;
  };
  CHECK(run.go(in_german) == 0);
  CHECK(wnpu::tests::contents_of(run.folder.path() / "a.de.txt") == "a0\na1\n");
  CHECK_THROWS_WITH_AS(run.go(in_german), doctest::Contains("a.de.txt: is there already"),
                       OutputError);
  run.options.existing = ExistingOutput::overwrite;
  CHECK(run.go(in_german) == 0);
  // It comes while the work is done.
  run.options.existing = ExistingOutput::refuse;
  std::filesystem::remove(run.folder.path() / "a.de.txt");
  const auto too_late = [&](const std::string& name, const wnpu::Callbacks& callbacks) {
    run.folder.make_file("a.de.txt", "another's");
    return in_german(name, callbacks);
  };
  CHECK_THROWS_WITH_AS(run.go(too_late), doctest::Contains("is there now"), OutputError);
  CHECK(wnpu::tests::contents_of(run.folder.path() / "a.de.txt") == "another's");
}
