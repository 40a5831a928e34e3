#include "app/manifest/result_file.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "app/cli/exit_code.h"
#include "tests/support/temporary_folder.h"

namespace {

using namespace wnpu::app;
using wnpu::tests::contents_of;
using wnpu::tests::TemporaryFolder;
using Opening = ResultFile::Opening;

std::vector<std::string> result_lines(const ResultFile& file) {
  std::vector<std::string> lines;
  file.read([&](const Line& line) { lines.emplace_back(line.text); });
  return lines;
}

}  // namespace

TEST_CASE("result file: cut anywhere, whole lines stay, and it goes on") {
  const std::string whole = "{\"a\":1}\n{\"b\":2}\n\n{\"c\":3}\n";
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    const TemporaryFolder folder;
    const auto path = folder.make_file("out", whole.substr(0, size));
    {
      ResultFile file(path, Opening::go_on);
      file.clean();
      file.add("{\"new\":1}\n");
    }
    const std::size_t kept = size == 0 ? 0 : whole.rfind('\n', size - 1) + 1;
    CHECK(contents_of(path) == whole.substr(0, kept) + "{\"new\":1}\n");
  }
}

TEST_CASE("result file: lines that are not kept go, and it goes on in the file of that name") {
  const TemporaryFolder folder;
  const auto path = folder.make_file("out", "a\nb\na\nc");
  ResultFile file(path, Opening::go_on);
  file.clean([](const Line& line) { return line.text == "a"; });
  CHECK(result_lines(file) == std::vector<std::string>{"a", "a"});
  file.add("d\n");
  CHECK(contents_of(path) == "a\na\nd\n");
  CHECK_THROWS_AS(ResultFile(path, Opening::go_on), OutputError);  // it is locked, as before
}

TEST_CASE("result file: how it is opened") {
  const TemporaryFolder folder;
  const auto path = folder.path() / "out";
  { ResultFile(path, Opening::make).add("a\n"); }
  CHECK_THROWS_AS(ResultFile(path, Opening::make), OutputError);
  {
    ResultFile file(path, Opening::go_on);
    CHECK_THROWS_AS(ResultFile(path, Opening::replace), OutputError);
    CHECK(contents_of(path) == "a\n");
  }
  { const ResultFile file(path, Opening::replace); }
  CHECK(contents_of(path).empty());
  CHECK_THROWS_AS(ResultFile(folder.path(), Opening::go_on), OutputError);
  CHECK_THROWS_AS(ResultFile("/dev/null", Opening::go_on), OutputError);
  CHECK_THROWS_AS(ResultFile(folder.path() / "no" / "out", Opening::go_on), OutputError);
}
