#include <csignal>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "app/options/exit_code.h"
#include "app/output/output_plan.h"
#include "app/system/output_file.h"
#include "tests/support/temporary_folder.h"

namespace {

using namespace wnpu::app;
using wnpu::tests::contents_of;
using wnpu::tests::TemporaryFolder;

Options options_for(std::vector<std::string> inputs, const std::filesystem::path& output_dir) {
  Options options;
  options.inputs = std::move(inputs);
  options.output_dir = output_dir;
  options.formats = {Format::json};
  return options;
}

}  // namespace

TEST_CASE("write_file: replaces what is there and leaves nothing else") {
  const TemporaryFolder folder;
  const auto path = folder.make_file("a.txt", "old and longer");
  write_file(path, "new");
  CHECK(contents_of(path) == "new");
  CHECK(folder.n_entries() == 1);
}

TEST_CASE("write_file: what is new replaces nothing, though it came in the last moment") {
  const TemporaryFolder folder;
  const auto path = folder.path() / "a.txt";
  const auto others_come = [&](const wnpu::models::Sink& sink) {
    folder.make_file("a.txt", "another's");
    sink("new");
  };
  CHECK_THROWS_AS(write_file(path, others_come, true), NameTaken);
  CHECK_THROWS_AS(write_file(path, "new", true), NameTaken);
  CHECK(contents_of(path) == "another's");
  CHECK(folder.n_entries() == 1);
  write_file(folder.path() / "b.txt", "new", true);
  CHECK(contents_of(folder.path() / "b.txt") == "new");
}

TEST_CASE("write_file: links in a row lead to the file, though it is not there yet") {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path() / "sub");
  std::filesystem::create_symlink("sub/second", folder.path() / "first");
  std::filesystem::create_symlink("../target", folder.path() / "sub/second");
  write_file(folder.path() / "first", "new");
  CHECK(std::filesystem::is_symlink(folder.path() / "first"));
  CHECK(std::filesystem::is_symlink(folder.path() / "sub/second"));
  CHECK(contents_of(folder.path() / "target") == "new");
  std::filesystem::create_symlink("loop", folder.path() / "loop");
  CHECK_THROWS_WITH_AS(write_file(folder.path() / "loop", "x"),
                       doctest::Contains("Too many levels of symbolic links"), OutputError);
}

TEST_CASE("write_file: who may read a file that is replaced, and whose it is, stays") {
  const TemporaryFolder folder;
  const auto path = folder.make_file("a.txt", "secret");
  struct stat before {};
  struct stat after {};
  for (const mode_t mode : {0600U, 0640U, 0666U, 0444U}) {
    REQUIRE(::chmod(path.c_str(), mode) == 0);
    // Another owner, where this process may make one.
    if (::chown(path.c_str(), 12345, 23456) != 0) MESSAGE("SKIP: owners need root");
    REQUIRE(::stat(path.c_str(), &before) == 0);
    write_file(path, "new");
    REQUIRE(::stat(path.c_str(), &after) == 0);
    CHECK(after.st_mode == before.st_mode);
    CHECK(after.st_uid == before.st_uid);
    CHECK(after.st_gid == before.st_gid);
    CHECK(contents_of(path) == "new");
  }
  const mode_t mask = ::umask(0027);
  write_file(folder.path() / "b.txt", "new");
  ::umask(mask);
  REQUIRE(::stat((folder.path() / "b.txt").c_str(), &after) == 0);
  CHECK((after.st_mode & 0777U) == 0640U);
}

TEST_CASE("write_file: says why it cannot write, and leaves nothing") {
  const TemporaryFolder folder;
  const auto missing = folder.path() / "none" / "a.txt";
  CHECK_THROWS_WITH_AS(write_file(missing, "x"),
                       (missing.string() + ": open: No such file or directory").c_str(),
                       OutputError);
  CHECK_THROWS_WITH_AS(write_file("/dev/full", "x"), "/dev/full: write: No space left on device",
                       OutputError);
  std::filesystem::create_directory(folder.path() / "dir");
  CHECK_THROWS_AS(write_file(folder.path() / "dir", "x"), OutputError);
  CHECK(folder.n_entries() == 1);
}

TEST_CASE("write_file: a write that fails half-way leaves what was there before") {
  const TemporaryFolder folder;
  const auto path = folder.make_file("a.txt", "old");
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  const rlimit small{4096, before.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  CHECK_THROWS_AS(write_file(path, std::string(10'000, 'x')), OutputError);
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
  std::signal(SIGXFSZ, handler);
  CHECK(contents_of(path) == "old");
  CHECK(folder.n_entries() == 1);
}

TEST_CASE("plan: one file for each input and format") {
  const TemporaryFolder folder;
  Options options = options_for({"x/a.tar.wav", "-"}, folder.path() / "new/out");
  options.formats = {Format::json, Format::srt};
  const auto plan = plan_outputs(options);
  REQUIRE(plan.size() == 2);
  CHECK(plan[0].targets[0].path == folder.path() / "new/out/a.tar.json");
  CHECK(plan[0].targets[1].path == folder.path() / "new/out/a.tar.srt");
  CHECK(plan[1].targets[0].path == folder.path() / "new/out/stdin.json");
  CHECK(std::filesystem::is_directory(folder.path() / "new/out"));
}

TEST_CASE("plan: text to stdout, all formats to a folder, an extension to a file") {
  const TemporaryFolder folder;
  Options options = options_for({"a.wav"}, "");
  options.formats.clear();
  CHECK(plan_outputs(options)[0].targets[0].format == Format::text);
  CHECK(plan_outputs(options)[0].targets[0].path.empty());
  options.output = "-";
  CHECK(plan_outputs(options)[0].targets[0].path.empty());
  options.output = folder.path() / "a.srt";
  CHECK(plan_outputs(options)[0].targets[0].format == Format::srt);
  options.output = folder.path() / "a.unknown";
  CHECK(plan_outputs(options)[0].targets[0].format == Format::text);
  options.output.clear();
  options.output_dir = folder.path();
  CHECK(plan_outputs(options)[0].targets.size() == kFormats.size() - 1);
}

TEST_CASE("plan: two inputs that would write one file are refused") {
  const TemporaryFolder folder;
  CHECK_THROWS_WITH_AS(plan_outputs(options_for({"x/a.wav", "y/a.mp3"}, folder.path())),
                       doctest::Contains("would be written for y/a.mp3, but x/a.wav writes it too"),
                       UsageError);
  CHECK_THROWS_AS(plan_outputs(options_for({"a.wav", "a.wav"}, folder.path())), UsageError);
  // So is one input with two formats of one extension.
  Options options = options_for({"a.wav"}, folder.path());
  options.formats = {Format::text, Format::txt};
  CHECK_THROWS_AS(plan_outputs(options), UsageError);
}

TEST_CASE("plan: two links to one file that is not there yet are one target") {
  const TemporaryFolder folder;
  std::filesystem::create_symlink("gone", folder.path() / "a.srt");
  std::filesystem::create_symlink("gone", folder.path() / "a.vtt");
  Options options = options_for({"a.wav"}, folder.path());
  options.formats = {Format::srt, Format::vtt};
  CHECK_THROWS_WITH_AS(plan_outputs(options), doctest::Contains("writes it too"), UsageError);
}

TEST_CASE("plan: what is there is refused, replaced or skipped, as asked") {
  const TemporaryFolder folder;
  folder.make_file("a.json");
  Options options = options_for({"a.wav", "b.wav"}, folder.path());
  CHECK_THROWS_WITH_AS(plan_outputs(options), doctest::Contains("is there already"), OutputError);
  options.existing = ExistingOutput::overwrite;
  CHECK_FALSE(plan_outputs(options)[0].is_skipped);
  options.existing = ExistingOutput::skip;
  CHECK(plan_outputs(options)[0].is_skipped);
  CHECK_FALSE(plan_outputs(options)[1].is_skipped);
  options.formats.push_back(Format::srt);  // one of two is there: the other alone is written
  const auto plan = plan_outputs(options);
  CHECK_FALSE(plan[0].is_skipped);
  REQUIRE(plan[0].targets.size() == 1);
  CHECK(plan[0].targets[0].path == folder.path() / "a.srt");
  CHECK(plan[1].targets.size() == 2);
  CHECK(results_of(plan).contains(folder.path() / "a.json"));  // of the batch, though not written
}

TEST_CASE("plan: stdout takes what can be told apart") {
  Options options = options_for({"a.wav", "b.wav"}, "");
  CHECK(plan_outputs(options).size() == 2);
  options.formats = {Format::srt};
  CHECK_THROWS_AS(plan_outputs(options), UsageError);
  options.inputs = {"a.wav"};
  CHECK(plan_outputs(options).size() == 1);
  options.formats = {Format::srt, Format::vtt};
  CHECK_THROWS_AS(plan_outputs(options), UsageError);
  options.formats = {Format::srt};
  options.existing = ExistingOutput::skip;
  CHECK_THROWS_AS(plan_outputs(options), UsageError);
  options.existing = ExistingOutput::refuse;
  options.output = "one.srt";
  options.inputs = {"a.wav", "b.wav"};
  CHECK_THROWS_AS(plan_outputs(options), UsageError);
}

TEST_CASE("plan: a folder that cannot be written to is refused before work starts") {
  const TemporaryFolder folder;
  const auto file = folder.make_file("file");
  CHECK_THROWS_AS(plan_outputs(options_for({"a.wav"}, file)), OutputError);
  CHECK_THROWS_AS(plan_outputs(options_for({"a.wav"}, file / "below")), OutputError);
  Options options = options_for({"a.wav"}, "");
  options.output = folder.path() / "none/a.json";
  CHECK_THROWS_AS(plan_outputs(options), OutputError);
  options.output = "/dev/null";
  CHECK(plan_outputs(options)[0].targets[0].path == "/dev/null");
}

TEST_CASE("plan: a dry run writes nothing") {
  Options options = options_for({"a.wav", "a.mp3"}, "/nowhere");
  options.dry_run = true;
  const auto plan = plan_outputs(options);
  CHECK(plan[1].targets.empty());
}
