// Paths as std::filesystem joins them, and lists of folders.
#include "models/base/folder.h"

#include <algorithm>
#include <fstream>
#include <string>

#include <doctest/doctest.h>

#include "tests/support/temporary_folder.h"

using namespace wnpu;  // NOLINT
namespace fs = std::filesystem;

TEST_CASE("folder: paths are joined as std::filesystem joins them") {
  for (const char* folder : {"", "/", "a", "a/", "/a/b", "/a//", "."}) {
    for (const char* name : {"c", "c/d", "/c", "..", "ü 日本.wav"}) {
      CAPTURE(folder);
      CAPTURE(name);
      CHECK(models::join(folder, name) == fs::path(folder) / name);
    }
  }
}

TEST_CASE("folder: names are those of a directory_iterator, no more than asked for") {
  const tests::TemporaryFolder folder;
  std::error_code error;
  CHECK(models::names_in(folder.path(), error).empty());
  CHECK(!error);
  for (int i = 0; i < 40; ++i) {
    std::ofstream(folder.path() / (std::string(static_cast<std::size_t>(i), 'x') + ".a"));
  }
  fs::create_directory(folder.path() / ".hidden");
  std::vector<std::string> expected;
  for (const auto& entry : fs::directory_iterator(folder.path()))
    expected.push_back(entry.path().filename());
  auto names = models::names_in(folder.path(), error);
  std::ranges::sort(names);
  std::ranges::sort(expected);
  CHECK(names == expected);
  CHECK(!error);
  CHECK(models::names_in(folder.path(), error, 7).size() == 7);
  CHECK(!error);
}

TEST_CASE("folder: what cannot be listed says why") {
  const tests::TemporaryFolder folder;
  std::error_code error;
  CHECK(models::names_in(folder.path() / "none", error).empty());
  CHECK(error == std::errc::no_such_file_or_directory);
  std::ofstream(folder.path() / "file");
  CHECK(models::names_in(folder.path() / "file", error).empty());
  CHECK(error == std::errc::not_a_directory);
}
