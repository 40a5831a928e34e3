// Batches in a worker process, with a transcriber that needs no model and dies as the file asks
// for.
#include "app/jobs/isolated_batch.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <random>
#include <sys/file.h>
#include <sys/resource.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "app/options/exit_code.h"
#include "audio/read/error.h"
#include "npu/device.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/text.h"

namespace {

using namespace wnpu::app;
using wnpu::tests::contents_of;
using wnpu::tests::count_of;
using wnpu::tests::TemporaryFolder;

// Ends the process as a bug does, and not as the test's own handlers would.
[[noreturn]] void die_by(int signal) {
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  std::signal(signal, SIG_DFL);
  ::kill(::getpid(), signal);
  std::abort();
}

// How a file may end, and what is said of it then.
struct Ending {
  std::string contents;
  std::string message;  // empty: it is transcribed
};

const std::array kEndings = {
    Ending{"fine", ""},
    Ending{"undecodable", "no audio"},
    Ending{"segv", "its process was killed by signal 11 (Segmentation fault)"},
    Ending{"abort", "its process was killed by signal 6 (Aborted)"},
    Ending{"kill", "its process was killed by signal 9 (Killed)"},
    Ending{"exit", "its process ended with exit code 0"},
    Ending{"bug", "vector::_M_range_check"},
};

// Two segments that name the file, or the end that its contents ask for after the first.
wnpu::Transcript transcribe_or_die(const std::string& input, const wnpu::Callbacks& callbacks) {
  const std::string contents = contents_of(input);
  if (contents == "undecodable") throw wnpu::audio::AudioError(input + ": no audio");
  wnpu::Transcript transcript;
  transcript.input.path = input;
  for (std::size_t i = 0; i < 2; ++i) {
    if (contents == "device") throw wnpu::npu::DeviceError("npu: gone");
    if (contents == "bug") throw std::out_of_range("vector::_M_range_check");
    if (contents == "segv") die_by(SIGSEGV);
    if (contents == "abort") die_by(SIGABRT);
    if (contents == "kill") die_by(SIGKILL);
    if (contents == "exit") std::_Exit(0);
    wnpu::Segment segment;
    segment.id = i;
    segment.start = static_cast<double>(i);
    segment.end = segment.start + 1;
    segment.text = " " + std::filesystem::path(input).filename().string() + std::to_string(i);
    transcript.segments.push_back(segment);
    callbacks.on_segment(segment);
  }
  return transcript;
}

// One run with files of its own for stdout and stderr, which the worker writes to as well.
struct BatchRun {
  TemporaryFolder folder;
  Options options;

  BatchRun() {
    options.output_dir = folder.path() / "out";
    options.formats = {Format::txt, Format::srt};
  }
  void add(const std::string& name, const std::string& contents) {
    options.inputs.push_back(folder.make_file(name, contents));
  }
  int go() {
    return go([this](BatchProgress& progress) {
      try {
        return run(options, plan_, transcribe_or_die, environment_, progress);
      } catch (const std::exception& error) {
        *environment_.err << "whisper-npu: " << error.what() << '\n';
        return exit_code_of(error);
      }
    });
  }
  int go(const BatchFn& batch) {
    std::ofstream err(folder.path() / "stderr", std::ios::app);
    err << std::unitbuf;
    environment_.err = &err;
    FILE* const out = std::fopen((folder.path() / "stdout").c_str(), "w");
    environment_.out = ::fileno(out);
    plan_ = plan_outputs(options);
    const int code = run_isolated(options, plan_, batch, environment_);
    std::fclose(out);
    return code;
  }

  std::string out() const { return contents_of(folder.path() / "stdout"); }
  std::string err() const { return contents_of(folder.path() / "stderr"); }
  std::string result(const std::string& name) const {
    return contents_of(std::filesystem::path(options.output_dir) / name);
  }

 private:
  Environment environment_;
  std::vector<PlannedInput> plan_;
};

// Checks on a file after a batch, whatever became of the others.
void check_file(const BatchRun& run, const std::string& name, const Ending& ending) {
  CAPTURE(name);
  CAPTURE(ending.contents);
  CAPTURE(run.err());
  const std::string path = run.folder.path() / (name + ".wav");
  const std::string srt = "1\n00:00:00,000 --> 00:00:01,000\n" + name +
                          ".wav0\n\n2\n00:00:01,000 --> 00:00:02,000\n" + name + ".wav1\n\n";
  if (ending.message.empty()) {
    CHECK(run.result(name + ".txt") == name + ".wav0\n" + name + ".wav1\n");
    CHECK(run.result(name + ".srt") == srt);
    CHECK(count_of(run.err(), path) == 0);
  } else {
    CHECK(count_of(run.err(), path + ": " + ending.message + "\n") == 1);
    CHECK(count_of(run.err(), path) == 1);
  }
}

}  // namespace

TEST_CASE("isolated batch: whatever becomes of some files, the others are done") {
  std::mt19937 random(21);
  for (int trial = 0; trial < 25; ++trial) {
    const std::size_t n = 2 + random() % 5;
    BatchRun run;
    std::vector<Ending> endings;
    for (std::size_t i = 0; i < n; ++i) {
      endings.push_back(kEndings.at(random() % 2 == 0 ? 0 : random() % kEndings.size()));
      run.add(std::to_string(i) + ".wav", endings.back().contents);
    }
    const auto n_failed = static_cast<std::size_t>(std::count_if(
        endings.begin(), endings.end(), [](const Ending& ending) { return ending.message != ""; }));
    CHECK(run.go() == (n_failed == 0 ? 0 : 1));
    for (std::size_t i = 0; i < n; ++i) check_file(run, std::to_string(i), endings[i]);
    CHECK(std::distance(std::filesystem::directory_iterator(run.options.output_dir), {}) ==
          static_cast<std::ptrdiff_t>(2 * (n - n_failed)));
    const std::string summary =
        std::to_string(n_failed) + " of " + std::to_string(n) + " files failed\n";
    CHECK(count_of(run.err(), summary) == (n_failed == 0 ? 0 : 1));
  }
}

TEST_CASE("isolated batch: text goes to stdout in the order of the files") {
  BatchRun run;
  run.options.output_dir.clear();
  run.options.formats.clear();
  for (const std::string name : {"a", "b", "c"}) run.add(name, name == "b" ? "segv" : "fine");
  CHECK(run.go() == 1);
  // The second header is another worker's.
  CHECK(run.out() == "==> " + run.options.inputs[0] + " <==\na0\na1\n\n==> " +
                         run.options.inputs[2] + " <==\nc0\nc1\n");
}

TEST_CASE("isolated batch: a process that dies of its only file is a bug") {
  BatchRun run;
  run.options.isolation = Isolation::on;
  run.add("a.wav", "segv");
  CHECK(run.go() == 70);
  check_file(run, "a", kEndings[2]);
  CHECK(count_of(run.err(), "\n") == 1);
}

TEST_CASE("isolated batch: an error that is not the file's ends it, with its own code") {
  BatchRun run;
  run.add("a.wav", "fine");
  run.add("b.wav", "device");
  run.add("c.wav", "fine");
  CHECK(run.go() == 5);
  CHECK(run.err() == "whisper-npu: npu: gone\n");
  check_file(run, "a", kEndings[0]);
  CHECK(run.result("c.txt").empty());
}

TEST_CASE("isolated batch: a worker that dies before it comes to a file is not started again") {
  BatchRun run;
  run.add("a.wav", "fine");
  run.add("b.wav", "fine");
  CHECK(run.go([](BatchProgress&) -> int { die_by(SIGKILL); }) == 70);
  CHECK(run.err() ==
        "whisper-npu: the worker process was killed by signal 9 (Killed) before it came to a "
        "file\n");
}

TEST_CASE("isolated batch: a caller that ignores SIGCHLD does not matter") {
  std::signal(SIGCHLD, SIG_IGN);
  BatchRun run;
  run.add("a.wav", "kill");
  run.add("b.wav", "fine");
  CHECK(run.go() == 1);
  check_file(run, "b", kEndings[0]);
}

TEST_CASE("isolated batch: what a killed process was writing is removed, what is locked stays") {
  BatchRun run;
  run.add("a.wav", "fine");
  run.add("b.wav", "kill");
  const auto stale = run.folder.make_file("out/.whisper-npu.17.part", "1\n00:0");
  const auto other = run.folder.make_file("out/.whisper-npu.txt", "somebody's");
  const auto alive = run.folder.make_file("out/.whisper-npu.18.part", "1\n00:0");
  FILE* const writer = std::fopen(alive.c_str(), "a");
  REQUIRE(::flock(::fileno(writer), LOCK_EX) == 0);
  SUBCASE("by the next run") {
    CHECK(run.go() == 1);
    CHECK_FALSE(std::filesystem::exists(stale));
  }
  SUBCASE("by the supervisor") {
    const auto left = std::filesystem::path(run.options.output_dir) / ".whisper-npu.19.part";
    CHECK(run.go([&](BatchProgress& progress) -> int {
      progress = {2, 1, 0};
      std::ofstream(left) << "1\n00:0";
      die_by(SIGKILL);
    }) == 1);
    CHECK_FALSE(std::filesystem::exists(left));
  }
  CHECK(std::filesystem::exists(other));
  CHECK(std::filesystem::exists(alive));
  std::fclose(writer);
}

TEST_CASE("isolated batch: auto is for several files") {
  Options options;
  options.inputs = {"a.wav"};
  CHECK_FALSE(is_isolated(options));
  options.isolation = Isolation::on;
  CHECK(is_isolated(options));
  options.inputs = {"a.wav", "b.wav"};
  options.isolation = Isolation::automatic;
  CHECK(is_isolated(options));
  options.isolation = Isolation::off;
  CHECK_FALSE(is_isolated(options));
}
