#include "app/system/output_file.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <random>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <climits>

#include "app/system/sha256.h"
#include "app/system/unfinished_file.h"
#include "app/system/write_all.h"
#include "models/base/descriptor.h"
#include "models/base/folder.h"
#include "models/base/utf8.h"

namespace wnpu::app {
namespace {

namespace fs = std::filesystem;
using models::Descriptor;

constexpr int kMaxLinks = 40;  // as path_resolution(7) has it

constexpr std::string_view kPartPrefix = ".whisper-npu.";
constexpr std::string_view kPartSuffix = ".part";

[[noreturn]] void fail(const std::string& name, const char* call, int error) {
  const std::string text = name + ": " + call + ": " + std::strerror(error);
  const bool is_its_name =
      error == ENAMETOOLONG || error == EISDIR || error == ENOTDIR || error == ELOOP;
  if (is_its_name) throw OneOutputError(text);
  throw OutputError(text);
}

// A name that is registered for remove_unfinished_file until it was renamed or removed.
class TemporaryName {
 public:
  explicit TemporaryName(const fs::path& folder) : path_(new_part_name(folder)) {
    if (!note_unfinished_file(path_.native())) fail(path_.native(), "name", ENAMETOOLONG);
  }
  ~TemporaryName() { remove_unfinished_file(); }
  TemporaryName(const TemporaryName&) = delete;
  TemporaryName& operator=(const TemporaryName&) = delete;

  const char* c_str() const { return path_.c_str(); }
  void was_renamed() { forget_unfinished_file(); }

 private:
  fs::path path_;
};

// behind_links() that throws OutputError if the links cannot be followed.
fs::path end_of_links(const fs::path& path) {
  std::error_code error;
  fs::path target = behind_links(path, error);
  if (error) fail(target, "open", error.value());
  return target;
}

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

// Path in /proc of a descriptor's file, so that linkat can give it a name.
std::string proc_path(int descriptor) { return "/proc/self/fd/" + std::to_string(descriptor); }

// A file that has no name yet, so that not even SIGKILL leaves a part of it behind; -1 where the
// file system knows no such files.
int open_unnamed(const fs::path& folder, mode_t mode) {
  const int file = ::open(folder.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, mode);
  if (file >= 0 && ::access(proc_path(file).c_str(), F_OK) == 0) {
    ::flock(file, LOCK_EX);  // for remove_stale_files, from before it has a name
    return file;
  }
  if (file >= 0) ::close(file);
  return -1;
}

bool give_name(int unnamed, const char* name) {
  return ::linkat(AT_FDCWD, proc_path(unnamed).c_str(), AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0;
}

// True where `file` has the access control list of `old` now, or `old` has none.
bool keep_access_list(int file, const fs::path& old) {
  constexpr const char* kName = "system.posix_acl_access";
  std::array<char, 4096> list{};
  const ssize_t n = ::getxattr(old.c_str(), kName, list.data(), list.size());
  if (n < 0) return errno == ENODATA || errno == ENOTSUP;
  return ::fsetxattr(file, kName, list.data(), static_cast<std::size_t>(n), 0) == 0;
}

// Lets those read `file` who may read `old`, and nobody else: a group or a list that cannot be kept
// gets what all others have.
void keep_access(int file, const fs::path& old, const struct stat& status) {
  mode_t mode = status.st_mode & 0777U;
  const bool keeps_group = ::fchown(file, status.st_uid, status.st_gid) == 0 ||
                           ::fchown(file, static_cast<uid_t>(-1), status.st_gid) == 0;
  if (!keeps_group || !keep_access_list(file, old)) mode = (mode & ~070U) | (mode & 07U) << 3U;
  if (::fchmod(file, mode) != 0) fail(old, "chmod", errno);
}

// Makes a file's name as lasting as its contents, where the file system can.
void sync_folder(const fs::path& folder, const std::string& name) {
  const Descriptor descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (descriptor.get() < 0) return;  // a folder may be writable and not readable
  if (::fsync(descriptor.get()) != 0 && errno != EINVAL && errno != ENOTSUP) {
    fail(name, "fsync of its folder", errno);
  }
}

int open_new(const char* name, mode_t mode) {
  while (true) {
    const int file = ::open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (file < 0) return file;
    ::flock(file, LOCK_EX);
    struct stat status {};
    if (::fstat(file, &status) != 0 || status.st_nlink > 0) return file;
    ::close(file);  // taken for stale before it was locked
  }
}

// Removes the file unless somebody has locked it.
void remove_if_stale(const fs::path& path) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (file.get() >= 0 && ::flock(file.get(), LOCK_EX | LOCK_NB) == 0) ::unlink(path.c_str());
}

using Write = std::function<void(const models::Sink&)>;

void write_to(int descriptor, const Write& write, const fs::path& path) {
  write([&](std::string_view part) { write_all(descriptor, part, path); });
}

void write_in_place(const fs::path& path, const Write& write) {
  const Descriptor file(open_in_place(path));
  write_to(file.get(), write, path);
}

// `stem` in at most so many bytes: its begin, and a checksum that tells it from others of that
// begin.
std::string short_stem(const std::string& stem, std::size_t most) {
  if (stem.size() <= most) return stem;
  constexpr std::size_t kStemSumDigits = 8;
  std::size_t n_kept = most - std::min(most, kStemSumDigits + 1);
  while (n_kept > 0 && !models::begins_character(stem[n_kept])) --n_kept;
  return stem.substr(0, n_kept) + "~" + Sha256()(stem).substr(0, kStemSumDigits);
}

fs::path partial_path(const fs::path& path, unsigned number) {
  const std::string mark = number == 1 ? ".partial" : ".partial-" + std::to_string(number);
  const bool has_extension = path.extension().native().size() < NAME_MAX / 2;
  const std::string extension = has_extension ? path.extension().string() : "";
  const std::string stem = has_extension ? path.stem().string() : path.filename().string();
  const std::size_t most = NAME_MAX - mark.size() - extension.size();
  return path.parent_path() / (short_stem(stem, most) + mark + extension);
}

// As rename(2), but EEXIST where `to` is there: some file systems cannot tell in that moment.
int rename_new(const char* from, const char* to) {
  const int result = ::renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);
  if (result == 0 || (errno != EINVAL && errno != ENOSYS)) return result;
  struct stat there {};
  if (::lstat(to, &there) != 0) return ::rename(from, to);
  errno = EEXIST;
  return -1;
}

[[noreturn]] void refuse_taken(const fs::path& path) {
  throw NameTaken(path.string() + ": was not there before the work began, and is there now");
}

}  // namespace

std::optional<int> descriptor_of(fs::path path) {
  std::error_code error;
  for (int i = 0; i < kMaxLinks; ++i) {
    const std::string name = path.lexically_normal();
    if (name == "/dev/stdout") return STDOUT_FILENO;
    if (name == "/dev/stderr") return STDERR_FILENO;
    for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
      if (!name.starts_with(folder)) continue;
      int number = -1;
      const char* const end = name.data() + name.size();
      const auto [stop, failed] = std::from_chars(name.data() + folder.size(), end, number);
      if (failed == std::errc() && stop == end && number >= 0) return number;
    }
    const fs::path next = fs::read_symlink(path, error);
    if (error) return std::nullopt;
    path = models::join(path.parent_path(), next.native());
  }
  return std::nullopt;
}

fs::path behind_links(fs::path path, std::error_code& error) {
  std::error_code ignored;  // what is not there is no link
  error.clear();
  for (int i = 0; fs::is_symlink(path, ignored); ++i) {
    const fs::path next = fs::read_symlink(path, error);
    if (i == kMaxLinks) error = std::make_error_code(std::errc::too_many_symbolic_link_levels);
    if (error) return path;
    path = models::join(path.parent_path(), next.native());
  }
  return path;
}

fs::path new_part_name(const fs::path& folder) {
  std::string name(kPartPrefix);
  name += std::to_string(std::random_device()());
  return folder / name.append(kPartSuffix);
}

bool is_part_name(std::string_view name) {
  return name.starts_with(kPartPrefix) && name.ends_with(kPartSuffix);
}

void write_file(const fs::path& path, std::string_view contents, bool is_new) {
  write_file(
      path, [&](const models::Sink& sink) { sink(contents); }, is_new);
}

void write_file(const fs::path& path, const Write& write, bool is_new) {
  if (const auto descriptor = descriptor_of(path)) return write_to(*descriptor, write, path);
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) return write_in_place(path, write);
  const fs::path target = end_of_links(path);
  struct stat old {};
  const bool replaces = ::stat(target.c_str(), &old) == 0;
  if (replaces && is_new) refuse_taken(path);
  const mode_t mode = replaces ? 0600 : 0666;

  TemporaryName temporary(folder_of(target));
  const int unnamed = open_unnamed(folder_of(target), mode);
  Descriptor file(unnamed >= 0 ? unnamed : open_new(temporary.c_str(), mode));
  if (file.get() < 0) fail(path, "open", errno);
  write_to(file.get(), write, path);
  if (replaces) keep_access(file.get(), target, old);
  if (::fsync(file.get()) != 0) fail(path, "fsync", errno);
  // A new result gets its name at once; where there is a file, only a rename replaces it.
  const bool is_done = unnamed >= 0 && !replaces && give_name(unnamed, target.c_str());
  if (!is_done && unnamed >= 0 && !give_name(unnamed, temporary.c_str())) fail(path, "link", errno);
  const Descriptor lock(::fcntl(file.get(), F_DUPFD_CLOEXEC, 0));  // it holds until the rename
  if (file.close() != 0) fail(path, "close", errno);
  const auto give =
      is_new ? rename_new : [](const char* from, const char* to) { return ::rename(from, to); };
  if (!is_done && give(temporary.c_str(), target.c_str()) != 0) {
    if (errno == EEXIST && is_new) refuse_taken(path);
    fail(path, "rename", errno);
  }
  if (!is_done) temporary.was_renamed();
  sync_folder(folder_of(target), path);
}

void remove_stale_files(const std::set<fs::path>& results) {
  std::set<fs::path> folders;
  for (const fs::path& result : results) folders.insert(folder_of(end_of_links(result)));
  for (const fs::path& folder : folders) {
    std::error_code error;
    for (const std::string& name : models::names_in(folder, error)) {
      if (is_part_name(name)) remove_if_stale(models::join(folder, name));
    }
  }
}

fs::path free_partial_path(const fs::path& path) {
  if (descriptor_of(path)) return path;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) return path;
  unsigned number = 1;
  while (fs::exists(fs::symlink_status(partial_path(path, number), error))) ++number;
  return partial_path(path, number);
}

void remove_partial_files(const fs::path& path,
                          const std::function<bool(const fs::path&)>& is_kept) {
  std::error_code error;
  for (unsigned number = 1;; ++number) {
    const fs::path partial = partial_path(path, number);
    const bool is_one = fs::is_regular_file(fs::symlink_status(partial, error));
    if (!is_one || is_kept(partial) || !fs::remove(partial, error)) return;
  }
}

}  // namespace wnpu::app
