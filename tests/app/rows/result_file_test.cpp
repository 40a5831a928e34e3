#include "app/jobs/manifest/result_file.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "app/options/exit_code.h"
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

TEST_CASE("result file: until it begins nothing is changed, and nothing new stays") {
  const TemporaryFolder folder;
  for (const Opening opening : {Opening::make, Opening::replace, Opening::go_on}) {
    const auto path = folder.path() / "new";
    { const ResultFile file(path, opening); }
    CHECK(folder.n_entries() == 0);
    ResultFile(path, opening).begin();
    CHECK(folder.n_entries() == 1);
    std::filesystem::remove(path);
  }
  const auto path = folder.make_file("old", "a\n");
  for (const Opening opening : {Opening::replace, Opening::go_on}) {
    { const ResultFile file(path, opening); }
    CHECK(contents_of(path) == "a\n");
  }
  ResultFile(path, Opening::go_on).begin();
  CHECK(contents_of(path) == "a\n");
  ResultFile(path, Opening::replace).begin();
  CHECK(contents_of(path).empty());
}

TEST_CASE("result file: its first bytes") {
  const TemporaryFolder folder;
  const ResultFile file(folder.make_file("out", "abc"), Opening::go_on);
  CHECK(file.first_bytes(2) == "ab");
  CHECK(file.first_bytes(9) == "abc");
}

TEST_CASE("result file: how it is opened") {
  const TemporaryFolder folder;
  const auto path = folder.path() / "out";
  {
    ResultFile file(path, Opening::make);
    file.begin();
    file.add("a\n");
  }
  CHECK_THROWS_AS(ResultFile(path, Opening::make), OutputError);
  {
    ResultFile file(path, Opening::go_on);
    CHECK_THROWS_AS(ResultFile(path, Opening::replace), OutputError);
    CHECK(contents_of(path) == "a\n");
  }
  CHECK_THROWS_AS(ResultFile(folder.path(), Opening::go_on), OutputError);
  CHECK_THROWS_AS(ResultFile("/dev/null", Opening::go_on), OutputError);
  CHECK_THROWS_AS(ResultFile(folder.path() / "no" / "out", Opening::go_on), OutputError);
}
