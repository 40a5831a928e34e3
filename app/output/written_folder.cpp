#include "app/output/written_folder.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <set>
#include <string>
#include <sys/file.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

#include "app/options/exit_code.h"
#include "app/output/made_files.h"
#include "app/system/output_file.h"
#include "app/system/unfinished_file.h"
#include "models/base/descriptor.h"
#include "models/base/folder.h"

namespace wnpu::app {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail_folder(const fs::path& path, const std::string& what) {
  throw OutputError(path.string() + ": " + what);
}

[[noreturn]] void fail_stranger(const fs::path& path, const std::string& stranger) {
  fail_folder(path, "expected no files but those that the command has made, found " + stranger +
                        ": it is not replaced");
}

fs::path parent_of(const fs::path& target) {
  return target.has_parent_path() ? target.parent_path() : ".";
}

// As long as it is open and locked, a folder is being written.
models::Descriptor open_part_folder(const fs::path& path) {
  return models::Descriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
}

// Removes unfinished folders of processes that were killed.
void remove_stale_folders(const fs::path& parent) {
  std::error_code error;
  for (const std::string& name : models::names_in(parent, error)) {
    if (!is_part_name(name)) continue;
    const fs::path path = models::join(parent, name);
    const models::Descriptor folder = open_part_folder(path);
    if (!folder.is_open()) continue;
    if (::flock(folder.get(), LOCK_EX | LOCK_NB) == 0) fs::remove_all(path, error);
  }
}

// SHA256SUMS and the files, then their folders from within.
std::vector<std::string> removal_order(const fs::path& folder,
                                       std::span<const models::StreamedFile> files) {
  std::vector<std::string> paths = {folder / kSums};
  std::set<fs::path> folders = {folder};  // one sorts before what is in it
  for (const models::StreamedFile& file : files) {
    const fs::path path = folder / file.name;
    paths.push_back(path);
    for (fs::path in = path.parent_path(); in != folder; in = in.parent_path()) folders.insert(in);
  }
  std::copy(folders.rbegin(), folders.rend(), std::back_inserter(paths));
  return paths;
}

// A new folder beside another, removed with what is in it unless it has got its name.
class PartFolder {
 public:
  explicit PartFolder(const fs::path& target) {
    remove_stale_folders(parent_of(target));
    while (!make(target)) {
    }
  }
  ~PartFolder() {
    std::error_code error;
    if (!path_.empty()) fs::remove_all(path_, error);
    forget_unfinished_folder();
  }
  PartFolder(const PartFolder&) = delete;
  PartFolder& operator=(const PartFolder&) = delete;

  const fs::path& path() const { return path_; }

  // Gives the folder its name. An old one is removed file by file: files that came into it
  // meanwhile, and are none of ours, are kept, in the place where they were.
  void take_name(const fs::path& target, bool overwrite) {
    std::error_code error;
    const bool exchanges = overwrite && fs::exists(target, error);
    const unsigned flag = exchanges ? RENAME_EXCHANGE : RENAME_NOREPLACE;
    rename(target, flag);
    if (exchanges) {
      const std::string stranger = stranger_in(path_);
      if (!stranger.empty()) {
        rename(target, RENAME_EXCHANGE);
        fail_stranger(target, stranger);
      }
      remove_listed(path_);
    }
    path_.clear();
  }

 private:
  void rename(const fs::path& target, unsigned flag) {
    if (renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, target.c_str(), flag) != 0) {
      fail_folder(target, "cannot be given its name: " + std::system_category().message(errno));
    }
  }

  // False: the name was taken, or the folder was taken for stale before it was locked.
  bool make(const fs::path& target) {
    const fs::path path = new_part_name(parent_of(target));
    std::error_code error;
    const bool is_new = fs::create_directory(path, error);
    if (error) fail_folder(target, "cannot be made: " + error.message());
    if (!is_new) return false;
    models::Descriptor lock = open_part_folder(path);
    if (!lock.is_open() && errno != ENOENT)
      fail_folder(target, "cannot be made: " + std::system_category().message(errno));
    if (!lock.is_open()) return false;
    ::flock(lock.get(), LOCK_EX);
    if (!fs::exists(path, error)) return false;
    lock_ = std::move(lock);
    path_ = path;
    return true;
  }

  fs::path path_;
  models::Descriptor lock_;
};

void write_one(const fs::path& folder, const models::StreamedFile& file) {
  const fs::path path = folder / file.name;
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (error) fail_folder(path, error.message());
  write_file(path, file.write);
  if (!file.is_executable) return;
  fs::permissions(path, fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec,
                  fs::perm_options::add, error);
  if (error) fail_folder(path, error.message());
}

fs::path without_slash(const fs::path& folder) {
  return folder.has_filename() ? folder : folder.parent_path();
}

}  // namespace

void require_free(const fs::path& folder, bool overwrite, const FolderKind& kind) {
  std::error_code error;
  const fs::path target = without_slash(folder);
  if (::access(parent_of(target).c_str(), W_OK | X_OK) != 0)
    fail_folder(folder, "cannot be made: " + std::system_category().message(errno));
  if (!fs::exists(fs::symlink_status(target, error))) return;
  if (!overwrite) fail_folder(folder, "is there (--overwrite replaces it)");
  const bool is_ours = fs::is_directory(fs::symlink_status(target, error)) &&
                       fs::is_regular_file(target / kSums, error) &&
                       fs::is_regular_file(target / kind.mark, error);
  if (!is_ours)
    fail_folder(folder, "is no folder that " + kind.command + " has made: it is not replaced");
  const std::string stranger = stranger_in(target);
  if (!stranger.empty()) fail_stranger(folder, stranger);
}

void write_folder(const fs::path& folder, std::span<const models::StreamedFile> files,
                  bool overwrite, const FolderKind& kind) {
  const fs::path target = without_slash(folder);
  PartFolder part(target);
  note_unfinished_folder(removal_order(part.path(), files));
  for (const models::StreamedFile& file : files) write_one(part.path(), file);
  std::vector<std::string> names;
  for (const models::StreamedFile& file : files) names.push_back(file.name);
  const std::string sums = checksums_of(part.path(), names);
  write_one(part.path(), {kSums, [&](const models::Sink& sink) { sink(sums); }});
  require_free(target, overwrite, kind);
  part.take_name(target, overwrite);
}

}  // namespace wnpu::app
