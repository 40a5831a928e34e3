#include "app/output_file.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <random>
#include <unistd.h>
#include <utility>

#include "app/exit_code.h"

namespace wnpu::app {
namespace {

namespace fs = std::filesystem;

// What a signal handler may read: a path in fixed memory, valid while the flag is set.
std::array<char, 4096> unfinished_path;
std::atomic<bool> is_unfinished{false};
static_assert(std::atomic<bool>::is_always_lock_free,
              "a signal handler may only read such atomics");

[[noreturn]] void fail(const std::string& name, const char* call, int error) {
  throw OutputError(name + ": " + call + ": " + std::strerror(error));
}

// Closes the descriptor at the end of the scope, and asks nobody whether that worked.
class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int get() const { return value_; }
  // Closes now. Some file systems report a full disk only here.
  int close() { return ::close(std::exchange(value_, -1)); }

 private:
  int value_;
};

// A name that is registered for remove_unfinished_file until it was renamed or removed. Random, for
// processes of several machines or containers, with the same number, may write to one folder.
class TemporaryName {
 public:
  explicit TemporaryName(const fs::path& folder)
      : path_(folder / (".whisper-npu." + std::to_string(std::random_device()()) + ".part")) {
    const std::string& name = path_.native();
    if (name.size() >= unfinished_path.size()) fail(name, "name", ENAMETOOLONG);
    std::memcpy(unfinished_path.data(), name.c_str(), name.size() + 1);
    is_unfinished = true;
  }
  ~TemporaryName() { remove_unfinished_file(); }
  TemporaryName(const TemporaryName&) = delete;
  TemporaryName& operator=(const TemporaryName&) = delete;

  const fs::path& path() const { return path_; }
  void was_renamed() { is_unfinished = false; }

 private:
  fs::path path_;
};

void write_in_place(const fs::path& path, std::string_view contents) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (file.get() < 0) fail(path, "open", errno);
  write_all(file.get(), contents, path);
}

}  // namespace

void write_all(int descriptor, std::string_view contents, const std::string& name) {
  while (!contents.empty()) {
    const ssize_t written = ::write(descriptor, contents.data(), contents.size());
    if (written >= 0) {
      contents.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EPIPE) {
      throw BrokenPipe(name + ": write: " + std::strerror(EPIPE));
    } else if (errno != EINTR) {
      fail(name, "write", errno);
    }
  }
}

void write_file(const fs::path& path, std::string_view contents) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) return write_in_place(path, contents);
  // A link is followed, so that what it points to is replaced and not the link.
  const fs::path target = fs::is_symlink(path, error) ? fs::weakly_canonical(path, error) : path;

  TemporaryName temporary(target.parent_path());
  Descriptor file(::open(temporary.path().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (file.get() < 0) fail(path, "open", errno);
  write_all(file.get(), contents, path);
  if (::fsync(file.get()) != 0) fail(path, "fsync", errno);
  if (file.close() != 0) fail(path, "close", errno);
  if (::rename(temporary.path().c_str(), target.c_str()) != 0) fail(path, "rename", errno);
  temporary.was_renamed();
}

fs::path partial_path(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) return path;
  return path.parent_path() / (path.stem().string() + ".partial" + path.extension().string());
}

void remove_unfinished_file() noexcept {
  if (is_unfinished.exchange(false)) ::unlink(unfinished_path.data());
}

}  // namespace wnpu::app
