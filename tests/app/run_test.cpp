// The batch with a transcriber that needs no model: what is written where, and the exit codes.
#include "app/jobs/run.h"

#include <sstream>
#include <unistd.h>

#include <doctest/doctest.h>

#include "app/options/exit_code.h"
#include "audio/read/error.h"
#include "models/base/error.h"
#include "npu/device.h"
#include "tests/app/run_fixture.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/text.h"
#include "tests/support/wav_file.h"

namespace {

using namespace wnpu::app;
using wnpu::tests::contents_of;
using wnpu::tests::fake_transcribe;
using wnpu::tests::has;
using wnpu::tests::Run;
using wnpu::tests::TemporaryFolder;

}  // namespace

TEST_CASE("run: text goes to stdout as it is decoded, and once") {
  Run run;
  const std::string input = run.add("a.wav", "a");
  const int code = run.go([&run](const std::string& name, const wnpu::Callbacks& callbacks) {
    wnpu::Transcript transcript = fake_transcribe(name, callbacks);
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
  CHECK(has(run.err.str(), "2.00 s of audio"));
}

TEST_CASE("run: a batch goes on after a file that cannot be read, and says so") {
  Run run;
  run.add("a.wav", "a");
  const std::string bad = run.add("bad.wav", "undecodable");
  run.options.inputs.push_back(run.folder.path() / "missing.wav");
  run.add("c.wav", "c");
  run.write_to_folder({Format::txt});
  CHECK(run.go() == 1);
  CHECK(run.result("a.txt") == "a0\na1\n");
  CHECK(run.result("c.txt") == "c0\nc1\n");
  CHECK_FALSE(std::filesystem::exists(run.folder.path() / "out/bad.txt"));
  CHECK(run.out().empty());
  CHECK(has(run.err.str(), bad + ": no audio\n"));
  CHECK(has(run.err.str(), "missing.wav: expected an audio file, found No such file"));
  CHECK(has(run.err.str(), "2 of 4 files failed"));
}

TEST_CASE("run: the only file's error is the run's error") {
  Run run;
  run.add("bad.wav", "undecodable");
  CHECK_THROWS_AS(run.go(), wnpu::Error);
  CHECK(run.out().empty());
}

TEST_CASE("run: a device that fails ends the batch") {
  Run run;
  run.add("a.wav", "device");
  run.add("b.wav", "b");
  CHECK_THROWS_AS(run.go(), wnpu::Error);
  CHECK(run.out().empty());
}

TEST_CASE("run: JSON names the checksums, and only JSON costs them") {
  Run run;
  run.add("a.wav", "abc");
  run.options.formats = {Format::jsonl};
  CHECK(run.go() == 0);
  // FIPS 180-4's example: SHA-256 of "abc".
  CHECK(has(run.out(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
  CHECK(has(run.out(), "\"truncated\":false"));
}

TEST_CASE("run: stdin has no checksum, though there is a file of its name") {
  const wnpu::tests::TemporaryFolder folder;
  const auto before = std::filesystem::current_path();
  folder.make_file("-", "abc");
  std::filesystem::current_path(folder.path());
  wnpu::Transcript transcript;
  transcript.input.path = "-";
  Checksums().add(transcript, {});
  std::filesystem::current_path(before);
  CHECK(transcript.input.sha256.empty());
}

TEST_CASE("run: a signal keeps what is finished, marks it and ends the batch") {
  Run run;
  run.add("a.wav", "a");
  run.add("b.wav", "b");
  run.options.formats = {Format::jsonl};
  // After the first segment: the batch asks once before the file, the file before each.
  run.stop_after(2);
  CHECK(run.go() == 130);
  const std::string out = run.out();
  CHECK(has(out, "\"text\":\" a0\""));
  CHECK(has(out, "\"truncated\":true"));
  CHECK_FALSE(has(out, "ca978112ca1bbdca"));  // SHA-256 of "a": would take time
  CHECK_FALSE(has(out, "b0"));
}

TEST_CASE("run: what a stopped run leaves in files is named so, and never taken for a result") {
  Run run;
  run.add("a.wav", "a");
  run.write_to_folder({Format::txt, Format::srt, Format::vtt, Format::json});
  run.options.existing = ExistingOutput::skip;
  run.stop_after(2);
  CHECK(run.go() == 130);
  const auto out = run.folder.path() / "out";
  CHECK(run.result("a.partial.txt") == "a0\n");
  CHECK(run.result("a.partial.vtt") ==
        "WEBVTT\n\n00:00.000 --> 00:01.000\na0\n\nNOTE truncated: the run was stopped here\n\n");
  CHECK(std::filesystem::exists(out / "a.partial.json"));
  CHECK_FALSE(std::filesystem::exists(out / "a.txt"));
  CHECK_FALSE(std::filesystem::exists(out / "a.json"));
  // The next run does not skip it.
  run.stop_no_more();
  CHECK(run.go() == 0);
  CHECK(run.result("a.txt") == "a0\na1\n");
  CHECK_FALSE(has(run.result("a.vtt"), "NOTE"));
}

TEST_CASE("run: a second stop leaves what the first had finished, a whole result neither") {
  Run run;
  run.add("a.wav", "a");
  // Another recording's whole result, though its name looks like a part.
  run.add("a.partial-3.wav", "other");
  run.write_to_folder({Format::txt});
  run.options.existing = ExistingOutput::overwrite;
  const auto out = run.folder.path() / "out";
  run.folder.make_file("out/a.partial.txt", "more of it\n");
  run.stop_after(2);
  CHECK(run.go() == 130);
  CHECK(run.result("a.partial.txt") == "more of it\n");
  CHECK(run.result("a.partial-2.txt") == "a0\n");
  run.stop_after(1);  // before the first segment
  CHECK(run.go() == 130);
  CHECK(run.n_results() == 2);
  run.stop_no_more();
  CHECK(run.go() == 0);
  CHECK(run.n_results() == 2);
  CHECK(run.result("a.txt") == "a0\na1\n");
  CHECK(run.result("a.partial-3.txt") == "other0\nother1\n");
}

TEST_CASE("run: what is no regular file keeps its name when the run is stopped") {
  Run run;
  run.add("a.wav", "a");
  run.options.output = "/dev/null";
  run.stop_after(2);
  CHECK(run.go() == 130);
  CHECK_FALSE(std::filesystem::exists("/dev/null.partial"));
}

TEST_CASE("run: what is there is skipped without a look at the input") {
  Run run;
  run.options.inputs = {run.folder.path() / "gone.wav"};
  run.folder.make_file("out/gone.txt", "old");
  run.write_to_folder({Format::txt});
  run.options.existing = ExistingOutput::skip;
  run.options.verbosity = Verbosity::normal;
  CHECK(run.go() == 0);
  CHECK(run.result("gone.txt") == "old");
  CHECK(has(run.err.str(), "skipped"));
}

TEST_CASE("run: of several results those that are there are kept") {
  Run run;
  run.add("a.wav", "new");
  run.folder.make_file("out/a.srt", "edited by hand");
  run.write_to_folder({Format::srt, Format::txt});
  run.options.existing = ExistingOutput::skip;
  CHECK(run.go() == 0);
  CHECK(run.result("a.srt") == "edited by hand");
  CHECK(run.result("a.txt") == "new0\nnew1\n");
}

TEST_CASE("run: a dry run prints durations and nothing else") {
  Run run;
  run.add("a.wav", "a");
  run.options.dry_run = true;
  run.options.formats = {Format::json};
  CHECK(run.go() == 0);
  CHECK(has(run.out(), ": 2.00 s of audio ("));
  CHECK_FALSE(has(run.out(), "a0"));
}

TEST_CASE("run: a file that takes more memory than there is does not take the others") {
  const auto devour = [](const std::string& input, const wnpu::Callbacks&) {
    if (input.ends_with("large.wav")) throw std::bad_alloc();
    wnpu::Transcript transcript;
    transcript.input.path = input;
    return transcript;
  };
  Run alone;
  alone.add("large.wav", "");
  CHECK_THROWS_AS(alone.go(devour), wnpu::Error);
  Run batch;
  for (const auto* const name : {"a.wav", "large.wav", "b.wav"}) batch.add(name, "");
  batch.options.output_dir = batch.folder.path() / "out";
  CHECK(batch.go(devour) == 1);
  CHECK(has(batch.err.str(), "large.wav: not enough memory\n"));
  CHECK(has(batch.err.str(), "1 of 3 files failed"));
}

TEST_CASE("run: stopped before anything was heard, it writes nothing and says so") {
  Run run;
  run.options.verbosity = Verbosity::normal;
  for (const auto* const name : {"a.wav", "b.wav"}) run.add(name, "");
  run.options.output_dir = run.folder.path() / "out";
  bool is_stopped = false;
  run.environment.stop_signal = [&is_stopped] { return is_stopped ? 2 : 0; };
  const auto stop = [&](const std::string&, const wnpu::Callbacks&) -> wnpu::Transcript {
    is_stopped = true;
    throw wnpu::models::Stopped();
  };
  CHECK(run.go(stop) == 130);
  CHECK(has(run.err.str(), "a.wav: stopped\n"));
  CHECK_FALSE(has(run.err.str(), "b.wav"));
}

TEST_CASE("exit codes: each kind of error has its own") {
  CHECK(exit_code_of(UsageError("")) == 2);
  CHECK(exit_code_of(wnpu::models::ModelError("")) == 3);
  CHECK(exit_code_of(wnpu::models::LibraryError("")) == 8);
  CHECK(exit_code_of(wnpu::audio::AudioError("")) == 4);
  CHECK(exit_code_of(wnpu::npu::DeviceError("")) == 5);
  CHECK(exit_code_of(OutputError("")) == 6);
  CHECK(exit_code_of(wnpu::models::MemoryError("")) == 7);
  CHECK(exit_code_of(std::bad_alloc()) == 7);
  CHECK(exit_code_of(std::length_error("")) == 7);
  CHECK(exit_code_of(std::system_error(
            std::make_error_code(std::errc::resource_unavailable_try_again))) == 7);
  CHECK(exit_code_of(std::logic_error("")) == 70);
  CHECK(exit_code_of(BrokenPipe("")) == 141);
}

TEST_CASE("run: what became a recording, or appeared, while the work went on is not replaced") {
  for (const bool overwrites : {false, true}) {
    Run run;
    run.add("a.wav", "a");
    run.options.output = run.folder.path() / "a.txt";
    if (overwrites) run.options.existing = ExistingOutput::overwrite;
    const std::string contents = overwrites ? wnpu::tests::wav_of_tone(1) : "another's";
    const auto transcribe = [&](const std::string& input, const wnpu::Callbacks& callbacks) {
      run.folder.make_file("a.txt", contents);
      return fake_transcribe(input, callbacks);
    };
    CHECK_THROWS_AS(run.go(transcribe), OutputError);
    CHECK(contents_of(run.options.output) == contents);
  }
}

TEST_CASE("run: what came meanwhile stays, and is told, where what is there is to be skipped") {
  Run run;
  run.add("a.wav", "a");
  run.add("b.wav", "b");
  run.write_to_folder({Format::txt, Format::srt});
  run.options.existing = ExistingOutput::skip;
  run.options.verbosity = Verbosity::normal;
  const auto transcribe = [&](const std::string& input, const wnpu::Callbacks& callbacks) {
    run.folder.make_file("out/a.txt", "mine");
    return fake_transcribe(input, callbacks);
  };
  CHECK(run.go(transcribe) == 0);
  const auto out = run.folder.path() / "out";
  CHECK(run.result("a.txt") == "mine");
  CHECK(run.result("b.txt") == "b0\nb1\n");
  CHECK(std::filesystem::exists(out / "a.srt"));
  CHECK(has(run.err.str(), "a.txt: was not there before the work began, and is there now; kept"));
}

TEST_CASE(
    "run: a whole result that is named as a part stays, of this batch and of an earlier one") {
  for (const bool is_earlier : {false, true}) {
    Run run;
    run.add("talk.partial.wav", "first");
    if (is_earlier) run.folder.make_file("en.talk.partial.srt", "earlier");
    if (is_earlier) run.options.inputs.clear();
    run.add("talk.wav", "second");
    run.options.output_template = run.folder.path() / "{lang}.{stem}.{ext}";
    run.options.formats = {Format::srt};
    CHECK(run.go([](const std::string& input, const wnpu::Callbacks& callbacks) {
      wnpu::Transcript transcript = fake_transcribe(input, callbacks);
      transcript.language = "en";
      return transcript;
    }) == 0);
    CHECK(std::filesystem::exists(run.folder.path() / "en.talk.partial.srt"));
    CHECK(std::filesystem::exists(run.folder.path() / "en.talk.srt"));
  }
}

TEST_CASE("run: a stopped run keeps its part though its name would be too long") {
  for (const std::string_view letter : {"x", "\xC3\xA4"}) {
    for (std::size_t size = 240; size <= 251; ++size) {
      Run run;
      std::string stem;
      while (stem.size() + letter.size() <= size) stem += letter;
      run.options.inputs = {run.folder.make_file("a", "a")};
      run.options.output = run.folder.path() / (stem + ".srt");
      run.stop_after(2);
      CHECK(run.go() == 130);
      CHECK(run.folder.n_entries() == 3);  // the input, stdout, the part
      run.stop_no_more();
      CHECK(run.go() == 0);
      CHECK(run.folder.n_entries() == 3);
      CHECK(std::filesystem::exists(run.options.output));
    }
  }
}

TEST_CASE("run: a recording that is named as a part of a result stays") {
  Run run;
  run.add("a.wav", "a");
  run.options.output = run.folder.path() / "talk.wav";
  const auto recording = run.folder.make_file("talk.partial.wav", wnpu::tests::wav_of_tone(1));
  CHECK(run.go() == 0);
  CHECK(std::filesystem::exists(recording));
}
