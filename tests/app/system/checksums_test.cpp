// Sums of files that are kept: of a file as it is now, or computed again.
#include "app/system/checksums.h"

#include <chrono>
#include <fstream>
#include <string>
#include <thread>

#include <doctest/doctest.h>

#include "app/system/sha256.h"
#include "tests/support/temporary_folder.h"

using namespace wnpu;  // NOLINT

TEST_CASE(
    "known sums: a file that was changed, or replaced, has a new one; a list may be damaged") {
  const tests::TemporaryFolder folder;
  const auto file = folder.path() / "weights";
  const auto list = folder.path() / "sums";
  const auto sum = [&] { return app::known_sha256_of_file(file, list); };
  std::ofstream(file) << "one";
  CHECK(sum() == app::Sha256()("one"));
  CHECK_FALSE(std::filesystem::exists(list));  // a change now may have the same times
  std::this_thread::sleep_for(std::chrono::milliseconds(3100));
  CHECK(sum() == app::Sha256()("one"));
  std::string line;
  std::getline(std::ifstream(list), line);
  CHECK(line.starts_with(app::Sha256()("one")));
  const std::string other(64, 'b');
  std::ofstream(list) << other << line.substr(64) << "\n";
  CHECK(sum() == other);  // it is the list that is believed
  const auto time = std::filesystem::last_write_time(file);
  std::ofstream(file) << "two";  // as long, and its time put back
  std::filesystem::last_write_time(file, time);
  CHECK(sum() == app::Sha256()("two"));
  std::ofstream(folder.path() / "copy") << "three";
  std::filesystem::rename(folder.path() / "copy", file);
  CHECK(sum() == app::Sha256()("three"));
  std::ofstream(list) << std::string(100000, 'x') << "\n\n" << std::string(64, 'a');
  CHECK(sum() == app::Sha256()("three"));
  CHECK(app::known_sha256_of_file(file, folder.path() / "none" / "sums") == app::Sha256()("three"));
  CHECK(app::known_sha256_of_file(folder.path() / "missing", list).empty());
}
