// A folder is there whole or not at all, also where a signal ends the process that writes it.
#include "app/output/written_folder.h"

#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <doctest/doctest.h>

#include "app/options/exit_code.h"
#include "app/output/written_file.h"
#include "app/system/signals.h"
#include "models/base/folder.h"
#include "tests/support/temporary_folder.h"

namespace {

using namespace wnpu::app;
using wnpu::models::Sink;
using wnpu::models::StreamedFile;
using wnpu::tests::TemporaryFolder;

namespace fs = std::filesystem;

const FolderKind kKind = {"a test", "mark"};

// Files in folders of folders; before the last byte of the one numbered `at` comes a signal.
std::vector<StreamedFile> files_with_signal(std::size_t at, int number) {
  std::vector<StreamedFile> files;
  for (const char* name : {"mark", "a/b/c", "a/b/d", "a/e", "f", "g/h"}) {
    const bool is_it = files.size() == at;
    files.push_back({name, [is_it, number](const Sink& sink) {
                       sink("some bytes");
                       if (is_it) ::kill(::getpid(), number);
                       sink(".");
                     }});
  }
  return files;
}

// Status from waitpid of a child process that writes the files.
int status_of_writer(const fs::path& folder, std::size_t at, int number) {
  const pid_t child = ::fork();
  if (child == 0) {
    install_signal_handlers();
    write_folder(folder, files_with_signal(at, number), true, kKind);
    ::_exit(0);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return status;
}

std::size_t n_entries(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), {}));
}

}  // namespace

TEST_CASE("written folder: a signal leaves nothing of it, and what it was to replace as it was") {
  const TemporaryFolder folder;
  const fs::path target = folder.path() / "made";
  for (const std::size_t n_before : {0U, 1U}) {
    for (std::size_t at = 0; at < 6; ++at) {
      for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
        const int status = status_of_writer(target, at, number);
        CAPTURE(at);
        CHECK(WIFEXITED(status));
        CHECK(WEXITSTATUS(status) == static_cast<int>(ExitCode::signal) + number);
        CHECK(n_entries(folder.path()) == n_before);
      }
    }
    CHECK(status_of_writer(target, 6, SIGTERM) == 0);
    CHECK(n_entries(folder.path()) == 1);
    CHECK(fs::exists(target / "a/b/d"));
    CHECK(fs::exists(target / "SHA256SUMS"));
  }
}

TEST_CASE("written folder: what a killed process left goes with the next") {
  const TemporaryFolder folder;
  const fs::path target = folder.path() / "made";
  CHECK(WIFSIGNALED(status_of_writer(target, 2, SIGKILL)));
  CHECK(n_entries(folder.path()) == 1);
  CHECK_FALSE(fs::exists(target));
  CHECK(status_of_writer(target, 6, SIGTERM) == 0);
  CHECK(n_entries(folder.path()) == 1);
  CHECK(fs::exists(target / "mark"));
}

TEST_CASE(
    "written folder: only files that the command made are replaced; all else is named and kept") {
  const TemporaryFolder folder;
  const fs::path target = folder.path() / "made";
  const std::vector<StreamedFile> files = files_with_signal(99, 0);
  const auto replace = [&] { write_folder(target, files, true, kKind); };
  replace();
  CHECK_NOTHROW(replace());
  for (const char* name : {"talk.wav", "a/notes.txt", "a/b/talk.wav", "new/", "a/b/new/"}) {
    CAPTURE(name);
    const fs::path mine = target / name;
    if (mine.has_filename()) {
      std::ofstream(mine) << "mine";
    } else {
      fs::create_directory(mine);
    }
    CHECK_THROWS_WITH_AS(require_free(target, true, kKind), doctest::Contains(name), OutputError);
    CHECK_THROWS_WITH_AS(replace(), doctest::Contains(name), OutputError);
    CHECK(fs::exists(mine));
    CHECK(n_entries(folder.path()) == 1);
    fs::remove(mine.has_filename() ? mine : mine.parent_path());
  }
  fs::create_symlink("/etc/passwd", target / "link");
  CHECK_THROWS_WITH_AS(replace(), doctest::Contains("link"), OutputError);
  fs::remove(target / "link");
  std::ofstream(target / "a/e") << "mine";
  CHECK_THROWS_WITH_AS(replace(), doctest::Contains("a/e (changed"), OutputError);
  CHECK(wnpu::tests::contents_of(target / "a/e") == "mine");
  fs::remove(target / "a/e");  // what is gone is nobody's loss
  CHECK_NOTHROW(replace());
  CHECK(n_entries(folder.path()) == 1);
}

TEST_CASE("written folder: what comes into it in the last moment is kept where it was") {
  const TemporaryFolder folder;
  const fs::path target = folder.path() / "made";
  std::vector<StreamedFile> files = files_with_signal(99, 0);
  write_folder(target, files, true, kKind);
  files.push_back({"late", [&](const Sink& sink) {
                     sink("x");
                     std::ofstream(target / "talk.wav") << "mine";
                   }});
  CHECK_THROWS_WITH_AS(write_folder(target, files, true, kKind), doctest::Contains("talk.wav"),
                       OutputError);
  CHECK(wnpu::tests::contents_of(target / "talk.wav") == "mine");
  CHECK_FALSE(fs::exists(target / "late"));
  CHECK(n_entries(folder.path()) == 1);
}

TEST_CASE("written folder: a list that names files elsewhere removes none of them") {
  const TemporaryFolder folder;
  const fs::path target = folder.path() / "made";
  const fs::path mine = folder.make_file("mine", "mine");
  const std::vector<StreamedFile> files = files_with_signal(99, 0);
  write_folder(target, files, true, kKind);
  std::ofstream(target / "SHA256SUMS", std::ios::app)
      << std::string(64, '0') << "  ../mine\n"
      << std::string(64, '0') << "  " << mine.string() << "\n";
  CHECK_NOTHROW(write_folder(target, files, true, kKind));
  CHECK(fs::exists(mine));
}

namespace {

// Outcome of write_and_report() with files that can be written or not, and a stdout that is read or
// closed.
struct ReportOutcome {
  bool files_fail = false, reader_is_gone = false;
  std::string report;  // what the reader got
};

ReportOutcome report_outcome(bool files_can_be_written, bool is_read) {
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  if (!is_read) ::close(ends[0]);
  const int terminal = ::dup(STDOUT_FILENO);
  ::dup2(ends[1], STDOUT_FILENO);
  ::close(ends[1]);
  ReportOutcome found;
  try {
    write_and_report(
        [&] {
          if (!files_can_be_written) throw OutputError("the files");
        },
        "a report");
  } catch (const BrokenPipe&) {
    found.reader_is_gone = true;
  } catch (const OutputError& error) {
    found.files_fail = std::string(error.what()) == "the files";
  }
  ::dup2(terminal, STDOUT_FILENO);  // the last writer of the pipe is gone with it
  ::close(terminal);
  std::array<char, 100> bytes{};
  const ssize_t n = is_read ? ::read(ends[0], bytes.data(), bytes.size()) : 0;
  found.report.assign(bytes.data(), static_cast<std::size_t>(n));
  if (is_read) ::close(ends[0]);
  std::signal(SIGPIPE, before);
  return found;
}

}  // namespace

TEST_CASE(
    "written files: the report is printed whatever becomes of them, and their failure is told "
    "first") {
  for (const bool are_written : {true, false}) {
    for (const bool is_read : {true, false}) {
      CAPTURE(are_written);
      CAPTURE(is_read);
      const ReportOutcome found = report_outcome(are_written, is_read);
      CHECK(found.report == (is_read ? "a report" : ""));
      CHECK(found.files_fail == !are_written);
      CHECK(found.reader_is_gone == (are_written && !is_read));
    }
  }
}
