#include <doctest/doctest.h>

#include "app/options/exit_code.h"
#include "tests/app/run_fixture.h"

using namespace wnpu::app;
using wnpu::tests::contents_of;
using wnpu::tests::fake_transcribe;
using wnpu::tests::Run;

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

TEST_CASE("run: no such line over one file's text, JSON, or beside result files") {
  Run run;
  const std::string a = run.add("a.wav", "a");
  CHECK(run.go() == 0);
  CHECK(run.out() == "a0\na1\n");
  run.options.headers = Headers::on;
  CHECK(run.go() == 0);
  CHECK(run.out() == "==> " + a + " <==\na0\na1\n");
  run.options.formats = {Format::json};
  CHECK_THROWS_WITH_AS(run.go(), doctest::Contains("needs text on stdout"), UsageError);
  run.options.headers = Headers::automatic;
  run.add("b.wav", "b");
  CHECK(run.go() == 0);
  CHECK(run.out().find("==>") == std::string::npos);
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
  CHECK(contents_of(run.folder.path() / "a.de.txt") == "a0\na1\n");
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
  CHECK(contents_of(run.folder.path() / "a.de.txt") == "another's");
}
