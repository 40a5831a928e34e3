#include "app/written/written_folder.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <string>
#include <system_error>
#include <unistd.h>

#include "app/batch/output_file.h"
#include "app/batch/sha256.h"
#include "app/cli/exit_code.h"

namespace wnpu::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSums = "SHA256SUMS";

[[noreturn]] void fail_folder(const fs::path& path, const std::string& what) {
  throw OutputError(path.string() + ": " + what);
}

// A new folder beside another, removed with what is in it unless it has got its name.
class PartFolder {
 public:
  explicit PartFolder(const fs::path& target) {
    const fs::path parent = target.has_parent_path() ? target.parent_path() : ".";
    path_ = parent / (".whisper-npu." + std::to_string(getpid()) + ".part");
    std::error_code error;
    if (!fs::create_directory(path_, error)) {
      const std::string what = error ? error.message() : "is there";
      path_.clear();
      fail_folder(target, "cannot be made: " + what);
    }
  }
  ~PartFolder() {
    std::error_code error;
    if (!path_.empty()) fs::remove_all(path_, error);
  }
  PartFolder(const PartFolder&) = delete;
  PartFolder& operator=(const PartFolder&) = delete;

  const fs::path& path() const { return path_; }

  void take_name(const fs::path& target, bool overwrite) {
    std::error_code error;
    const bool exchanges = overwrite && fs::exists(target, error);
    const unsigned flag = exchanges ? RENAME_EXCHANGE : RENAME_NOREPLACE;
    if (renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, target.c_str(), flag) != 0) {
      fail_folder(target, "cannot be given its name: " + std::system_category().message(errno));
    }
    if (!exchanges) path_.clear();  // else it has what was there
  }

 private:
  fs::path path_;
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

// As sha256sum reads it.
std::string checksums_of(const fs::path& folder, std::span<const models::StreamedFile> files) {
  std::string text;
  for (const models::StreamedFile& file : files) {
    const std::string sum = sha256_of_file(folder / file.name);
    if (sum.empty()) fail_folder(folder / file.name, "cannot be read back");
    text += sum + "  " + file.name + "\n";
  }
  return text;
}

fs::path without_slash(const fs::path& folder) {
  return folder.has_filename() ? folder : folder.parent_path();
}

}  // namespace

void require_free(const fs::path& folder, bool overwrite, const FolderKind& kind) {
  std::error_code error;
  const fs::path target = without_slash(folder);
  if (!fs::exists(fs::symlink_status(target, error))) return;
  if (!overwrite) fail_folder(folder, "is there (--overwrite replaces it)");
  const bool is_ours = fs::is_directory(fs::symlink_status(target, error)) &&
                       fs::is_regular_file(target / kSums, error) &&
                       fs::is_regular_file(target / kind.mark, error);
  if (!is_ours)
    fail_folder(folder, "is no folder that " + kind.command + " has made: it is not replaced");
}

void write_folder(const fs::path& folder, std::span<const models::StreamedFile> files,
                  bool overwrite, const FolderKind& kind) {
  const fs::path target = without_slash(folder);
  PartFolder part(target);
  for (const models::StreamedFile& file : files) write_one(part.path(), file);
  const std::string sums = checksums_of(part.path(), files);
  write_one(part.path(), {kSums, [&](const models::Sink& sink) { sink(sums); }});
  require_free(target, overwrite, kind);
  part.take_name(target, overwrite);
}

}  // namespace wnpu::app
