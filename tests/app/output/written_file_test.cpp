// Files and a report: neither is lost for want of the other, and the files' failure is the one that
// is told.
#include "app/output/written_file.h"

#include <array>
#include <csignal>
#include <string>
#include <unistd.h>

#include <doctest/doctest.h>

#include "app/options/exit_code.h"

namespace {

using namespace wnpu::app;

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
