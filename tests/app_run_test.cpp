// The batch with a transcriber that needs no model: what is written where, and the exit codes.
#include <sstream>
#include <unistd.h>

#include <doctest/doctest.h>

#include "app/exit_code.h"
#include "app/run.h"
#include "audio/error.h"
#include "models/error.h"
#include "npu/device.h"
#include "tests/temporary_folder.h"

namespace {

using namespace wnpu::app;
using wnpu::tests::contents_of;
using wnpu::tests::TemporaryFolder;

// Two segments a file that name the file, or the error that its contents ask for.
Transcript fake_transcribe(const std::string& input, const Callbacks& callbacks) {
  const std::string contents = contents_of(input);
  if (contents == "undecodable") throw wnpu::audio::AudioError(input + ": no audio");
  if (contents == "device") throw wnpu::npu::DeviceError("npu: gone");
  Transcript transcript;
  transcript.input.path = input;
  transcript.input.duration = 2;
  for (std::size_t i = 0; i < 2; ++i) {
    if (callbacks.is_cancelled()) {
      transcript.truncated = true;
      break;
    }
    wnpu::decoder::Segment segment;
    segment.id = i;
    segment.start = static_cast<double>(i);
    segment.end = segment.start + 1;
    segment.text = " " + contents + std::to_string(i);
    transcript.segments.push_back(segment);
    callbacks.on_segment(segment);
    callbacks.on_progress(segment.end, 2);
  }
  return transcript;
}

// One run with files of its own for stdout and stderr.
struct Run {
  TemporaryFolder folder;
  std::ostringstream err;
  Options options;
  Environment environment;

  Run() {
    environment.err = &err;
    options.verbosity = Verbosity::quiet;
  }

  std::string add(const std::string& name, const std::string& contents) {
    options.inputs.push_back(folder.make_file(name, contents));
    return options.inputs.back();
  }
  int go(const TranscribeFn& transcribe = fake_transcribe) {
    const auto plan = plan_outputs(options);
    FILE* const out = std::fopen((folder.path() / "stdout").c_str(), "w");
    environment.out = ::fileno(out);
    try {
      const int code = wnpu::app::run(options, plan, transcribe, environment);
      std::fclose(out);
      return code;
    } catch (...) {
      std::fclose(out);
      throw;
    }
  }
  std::string out() const { return contents_of(folder.path() / "stdout"); }
};

}  // namespace

TEST_CASE("run: text goes to stdout as it is decoded, and once") {
  Run run;
  const std::string input = run.add("a.wav", "a");
  const int code = run.go([&run](const std::string& name, const Callbacks& callbacks) {
    Transcript transcript = fake_transcribe(name, callbacks);
    CHECK(run.out() == "a0\na1\n");
    return transcript;
  });
  CHECK(code == 0);
  CHECK(run.out() == "a0\na1\n");
  CHECK(run.err.str().empty());
}

TEST_CASE("run: verbose puts times before the text") {
  Run run;
  run.add("a.wav", "a");
  run.options.verbosity = Verbosity::verbose;
  CHECK(run.go() == 0);
  CHECK(run.out() == "[00:00.000 --> 00:01.000]  a0\n[00:01.000 --> 00:02.000]  a1\n");
  CHECK(run.err.str().find("2.00 s of audio") != std::string::npos);
}

TEST_CASE("run: a batch goes on after a file that cannot be read, and says so") {
  Run run;
  run.add("a.wav", "a");
  const std::string bad = run.add("bad.wav", "undecodable");
  run.options.inputs.push_back(run.folder.path() / "missing.wav");
  run.add("c.wav", "c");
  run.options.output_dir = run.folder.path() / "out";
  run.options.formats = {Format::txt};
  CHECK(run.go() == 1);
  CHECK(contents_of(run.folder.path() / "out/a.txt") == "a0\na1\n");
  CHECK(contents_of(run.folder.path() / "out/c.txt") == "c0\nc1\n");
  CHECK_FALSE(std::filesystem::exists(run.folder.path() / "out/bad.txt"));
  CHECK(run.out().empty());
  CHECK(run.err.str().find(bad + ": no audio\n") != std::string::npos);
  CHECK(run.err.str().find("missing.wav: expected an audio file, found No such file") !=
        std::string::npos);
  CHECK(run.err.str().find("2 of 4 files failed") != std::string::npos);
}

TEST_CASE("run: the only file's error is the run's error") {
  Run run;
  run.add("bad.wav", "undecodable");
  CHECK_THROWS_AS(run.go(), wnpu::audio::AudioError);
  CHECK(run.out().empty());
}

TEST_CASE("run: a device that fails ends the batch") {
  Run run;
  run.add("a.wav", "device");
  run.add("b.wav", "b");
  CHECK_THROWS_AS(run.go(), wnpu::npu::DeviceError);
  CHECK(run.out().empty());
}

TEST_CASE("run: JSON names the checksums, and only JSON costs them") {
  Run run;
  run.add("a.wav", "abc");
  run.options.formats = {Format::jsonl};
  CHECK(run.go() == 0);
  // FIPS 180-4's example: SHA-256 of "abc".
  CHECK(run.out().find("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad") !=
        std::string::npos);
  CHECK(run.out().find("\"truncated\":false") != std::string::npos);
}

TEST_CASE("run: a signal keeps what is finished, marks it and ends the batch") {
  Run run;
  run.add("a.wav", "a");
  run.add("b.wav", "b");
  run.options.formats = {Format::jsonl};
  int calls = 0;
  // Comes after the first segment: the batch asks once before the file, the file before each.
  run.environment.stop_signal = [&calls] { return ++calls > 2 ? 2 : 0; };
  CHECK(run.go() == 130);
  const std::string out = run.out();
  CHECK(out.find("\"text\":\" a0\"") != std::string::npos);
  CHECK(out.find("\"truncated\":true") != std::string::npos);
  CHECK(out.find("ca978112ca1bbdca") == std::string::npos);  // SHA-256 of "a": would take time
  CHECK(out.find("b0") == std::string::npos);
}

TEST_CASE("run: what a stopped run leaves in files is named so, and never taken for a result") {
  Run run;
  run.add("a.wav", "a");
  run.options.output_dir = run.folder.path() / "out";
  run.options.formats = {Format::txt, Format::srt, Format::vtt, Format::json};
  run.options.existing = ExistingOutput::skip;
  int calls = 0;
  run.environment.stop_signal = [&calls] { return ++calls > 2 ? 2 : 0; };
  CHECK(run.go() == 130);
  const auto out = run.folder.path() / "out";
  CHECK(contents_of(out / "a.partial.txt") == "a0\n");
  CHECK(contents_of(out / "a.partial.vtt") ==
        "WEBVTT\n\n00:00.000 --> 00:01.000\na0\n\nNOTE truncated: the run was stopped here\n\n");
  CHECK(std::filesystem::exists(out / "a.partial.json"));
  CHECK_FALSE(std::filesystem::exists(out / "a.txt"));
  CHECK_FALSE(std::filesystem::exists(out / "a.json"));
  // The next run does not skip it.
  run.environment.stop_signal = [] { return 0; };
  CHECK(run.go() == 0);
  CHECK(contents_of(out / "a.txt") == "a0\na1\n");
  CHECK(contents_of(out / "a.vtt").find("NOTE") == std::string::npos);
}

TEST_CASE("run: what is no regular file keeps its name when the run is stopped") {
  Run run;
  run.add("a.wav", "a");
  run.options.output = "/dev/null";
  int calls = 0;
  run.environment.stop_signal = [&calls] { return ++calls > 2 ? 2 : 0; };
  CHECK(run.go() == 130);
  CHECK_FALSE(std::filesystem::exists("/dev/null.partial"));
}

TEST_CASE("run: what is there is skipped without a look at the input") {
  Run run;
  run.options.inputs = {run.folder.path() / "gone.wav"};
  run.folder.make_file("out/gone.txt", "old");
  run.options.output_dir = run.folder.path() / "out";
  run.options.formats = {Format::txt};
  run.options.existing = ExistingOutput::skip;
  run.options.verbosity = Verbosity::normal;
  CHECK(run.go() == 0);
  CHECK(contents_of(run.folder.path() / "out/gone.txt") == "old");
  CHECK(run.err.str().find("skipped") != std::string::npos);
}

TEST_CASE("run: a dry run prints durations and nothing else") {
  Run run;
  run.add("a.wav", "a");
  run.options.dry_run = true;
  run.options.formats = {Format::json};
  CHECK(run.go() == 0);
  CHECK(run.out().find(": 2.00 s of audio (") != std::string::npos);
  CHECK(run.out().find("a0") == std::string::npos);
}

TEST_CASE("run: a full disk ends the batch") {
  Run run;
  run.add("a.wav", "a");
  run.options.output = "/dev/full";
  CHECK_THROWS_AS(run.go(), OutputError);
}

TEST_CASE("run: warnings go to stderr unless quiet") {
  const auto warn = [](const std::string& input, const Callbacks&) {
    Transcript transcript;
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

TEST_CASE("exit codes: each kind of error has its own") {
  CHECK(exit_code_of(UsageError("")) == 2);
  CHECK(exit_code_of(wnpu::models::ModelError("")) == 3);
  CHECK(exit_code_of(wnpu::audio::AudioError("")) == 4);
  CHECK(exit_code_of(wnpu::npu::DeviceError("")) == 5);
  CHECK(exit_code_of(OutputError("")) == 6);
  CHECK(exit_code_of(std::logic_error("")) == 70);
  CHECK(exit_code_of(BrokenPipe("")) == 141);
}
