// Whether somebody writes to a file, and what happens in a folder.
#include "app/input/file_stability.h"

#include <algorithm>
#include <fcntl.h>
#include <fstream>
#include <unistd.h>

#include <doctest/doctest.h>

#include "app/input/folder_events.h"
#include "tests/support/temporary_folder.h"

namespace {

using namespace wnpu::app;
using namespace std::chrono_literals;
using wnpu::tests::TemporaryFolder;

}  // namespace

TEST_CASE("watch: a file is whole while nobody has it open for writing") {
  const TemporaryFolder folder;
  const std::string file = folder.make_file("a.wav", "abc");
  if (wholeness_of(file) == FileStability::unknown) {
    MESSAGE("SKIP: no leases on this file system");
    return;
  }
  CHECK(wholeness_of(file) == FileStability::whole);
  {
    const std::ifstream reader(file);
    CHECK(wholeness_of(file) == FileStability::whole);
    std::ofstream writer(file, std::ios::app);
    CHECK(wholeness_of(file) == FileStability::written);
    std::filesystem::rename(file, file + "2");
    CHECK(wholeness_of(file) == FileStability::gone);
    CHECK(wholeness_of(file + "2") == FileStability::written);
  }
  CHECK(wholeness_of(file + "2") == FileStability::whole);
  CHECK(wholeness_of(folder.make_file("empty.wav")) == FileStability::empty);
  CHECK(wholeness_of(folder.path()) == FileStability::gone);
}

TEST_CASE("watch: a file is looked at once a second, or when something happens to it") {
  const TemporaryFolder folder;
  const std::string path = folder.make_file("a.wav");
  PendingFile file(path);
  const PendingFile::Clock::time_point begin = PendingFile::Clock::now();
  CHECK(file.look(begin) == FileStability::empty);
  folder.make_file("a.wav", "abc");
  CHECK(file.look(begin + 900ms) == FileStability::empty);
  const FileStability later = file.look(begin + 1000ms);
  CHECK((later == FileStability::whole || later == FileStability::unknown));
  std::filesystem::remove(path);
  CHECK(file.look(begin + 1001ms) == later);
  file.wake();
  CHECK(file.look(begin + 1001ms) == FileStability::gone);
}

TEST_CASE("watch: what comes into a folder is told, of folders that they came or went") {
  const TemporaryFolder folder;
  FolderEvents events;
  REQUIRE(events.add(folder.path()));
  CHECK_FALSE(events.add((folder.path() / "missing").string()));
  events.drop_others();
  CHECK(events.wait(0ms).files.empty());
  const std::string a = folder.make_file("a.wav", "x");
  std::vector<std::string> files = events.wait(1000ms).files;
  CHECK(std::ranges::count(files, a) == 2);  // made, and closed
  std::filesystem::create_directory(folder.path() / "sub");
  CHECK(events.wait(1000ms).looks_again);
  REQUIRE(events.add(folder.path()));
  REQUIRE(events.add(folder.path() / "sub"));
  events.drop_others();
  const std::string b = folder.make_file("sub/b.wav", "x");
  CHECK(std::ranges::count(events.wait(1000ms).files, b) == 2);
  // Added under another name it has that; what was not added is told of no more.
  std::filesystem::rename(folder.path() / "sub", folder.path() / "bus");
  CHECK(events.wait(1000ms).looks_again);
  REQUIRE(events.add(folder.path() / "bus"));
  events.drop_others();
  events.wait(100ms);  // the end of the watch that was dropped
  folder.make_file("c.wav", "x");
  const std::string d = folder.make_file("bus/d.wav", "x");
  files = events.wait(1000ms).files;
  CHECK(std::ranges::count(files, d) == 2);
  CHECK(files.size() == 2);
}
