#include "app/input/file_stability.h"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sys/stat.h>

#include "models/base/descriptor.h"

namespace wnpu::app {
namespace {

// fcntl(2), F_SETLEASE: a lease to read is given where nobody has the file open for writing. Who
// opens it for that in this moment waits until the lease is given back, and we get a signal: one
// that is ignored unless somebody asked for it.
FileStability by_lease(int file) {
  ::fcntl(file, F_SETSIG, SIGURG);
  if (::fcntl(file, F_SETLEASE, F_RDLCK) == 0) {
    ::fcntl(file, F_SETLEASE, F_UNLCK);
    return FileStability::whole;
  }
  return errno == EAGAIN ? FileStability::written : FileStability::unknown;
}

}  // namespace

FileStability wholeness_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return FileStability::gone;
  if (status.st_size == 0) return FileStability::empty;
  const models::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.is_open()) return errno == ENOENT ? FileStability::gone : FileStability::unknown;
  return by_lease(file.get());
}

FileState state_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return {};
  return {
      .device = status.st_dev,
      .number = status.st_ino,
      .size = status.st_size,
      .changed_ns = std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec};
}

FileStability PendingFile::look(Clock::time_point now) {
  if (now < next_look_) return last_;
  next_look_ = now + std::chrono::seconds(1);
  last_ = wholeness_of(path_);
  if (last_ != FileStability::unknown) return last_;
  const FileState state = state_of(path_);
  if (!(state == state_)) {
    state_ = state;
    unchanged_since_ = now;
  }
  if (now - unchanged_since_ >= kQuiet) last_ = FileStability::whole;
  return last_;
}

}  // namespace wnpu::app
