#include "app/input/input_folders.h"

#include <algorithm>
#include <sys/stat.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "app/engine/whisper_npu.hpp"
#include "tests/support/temporary_folder.h"

using namespace wnpu::app;
using wnpu::tests::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

using Names = std::vector<std::string>;

// Names of the recordings that are found, relative to the folder.
Names found_in(const TemporaryFolder& folder, const std::string& below = "") {
  Names names;
  const std::string top = folder.path().string() + below;
  for (const std::string& path : recordings_in(top)) names.push_back(path.substr(top.size() + 1));
  return names;
}

}  // namespace

TEST_CASE("folders: recordings by their names, in the order of bytes") {
  const TemporaryFolder folder;
  for (const char* name :
       {"b.wav", "a.MP3", "sub/c.flac", "sub/deep/er/d.opus", "B.wav", "ü.mkv", "a b.m4a",
        "notes.txt", "a.srt", "wav", ".hidden.wav", ".git/x.wav", "x.wav.part"}) {
    folder.make_file(name);
  }
  fs::create_directory(folder.path() / "folder.wav");
  CHECK(found_in(folder) ==
        Names{"B.wav", "a b.m4a", "a.MP3", "b.wav", "sub/c.flac", "sub/deep/er/d.opus", "ü.mkv"});
  CHECK(found_in(folder, "/sub") == Names{"c.flac", "deep/er/d.opus"});
}

TEST_CASE("folders: extensions are sorted, in small letters, and each is there once") {
  const auto all = recording_extensions();
  CHECK(std::ranges::is_sorted(all));
  CHECK(std::ranges::adjacent_find(all) == all.end());
}

TEST_CASE("folders: loops of links end, and each folder is looked into once") {
  const TemporaryFolder folder;
  const TemporaryFolder other;
  folder.make_file("z/a.wav");
  other.make_file("deep/b.wav");
  fs::create_directory_symlink("..", folder.path() / "z/up");
  fs::create_directory_symlink("z", folder.path() / "link");
  fs::create_directory_symlink(other.path(), folder.path() / "other");
  fs::create_directory_symlink("self", folder.path() / "self");
  fs::create_symlink("nowhere", folder.path() / "gone.wav");
  fs::create_symlink("z/a.wav", folder.path() / "same.wav");
  Names skipped;
  FolderVisit visit;
  visit.on_link = [&](const std::string& link) {
    skipped.push_back(fs::path(link).lexically_relative(folder.path()));
  };
  CHECK(recordings_in(folder.path(), visit).size() == 2);
  std::ranges::sort(skipped);
  CHECK(skipped == Names{"link", "other", "z/up"});
  visit.follows_links = true;
  CHECK(recordings_in(folder.path(), visit) == Names{folder.path() / "other/deep/b.wav",
                                                     folder.path() / "same.wav",
                                                     folder.path() / "z/a.wav"});
  visit.should_stop = [] { return true; };
  CHECK(recordings_in(folder.path(), visit).empty());
  CHECK(leads_outside(folder.path() / "other/deep/b.wav", folder.path()));
  CHECK_FALSE(leads_outside(folder.path() / "same.wav", folder.path()));
}

TEST_CASE("folders: stand for their recordings with --recursive alone") {
  const TemporaryFolder folder;
  folder.make_file("a.wav");
  folder.make_file("sub/b.wav");
  folder.make_file("empty/readme.txt");
  const std::string top = folder.path().string();
  Options options;
  options.inputs = {"-", top + "/", "x.wav"};
  CHECK(with_files_of_folders(options).inputs == options.inputs);
  options.recursive = true;
  const Options all = with_files_of_folders(options);
  CHECK(all.inputs == Names{"-", top + "/a.wav", top + "/sub/b.wav", "x.wav"});
  CHECK(all.subfolders == std::map<std::string, std::string>{{top + "/sub/b.wav", "sub"}});
  options.inputs = {top + "/empty"};
  CHECK_THROWS_WITH_AS(with_files_of_folders(options), doctest::Contains("found none by name"),
                       wnpu::Error);
}

TEST_CASE("folders: one that cannot be read is told") {
  const TemporaryFolder folder;
  folder.make_file("closed/a.wav");
  if (::geteuid() == 0) {
    MESSAGE("SKIP: root may read every folder");
    return;
  }
  ::chmod((folder.path() / "closed").c_str(), 0);
  CHECK_THROWS_AS(recordings_in(folder.path()), wnpu::Error);
  ::chmod((folder.path() / "closed").c_str(), 0700);
}
