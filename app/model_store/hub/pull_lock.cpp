#include "app/model_store/hub/pull_lock.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "app/options/exit_code.h"
#include "models/base/error.h"

namespace wnpu::app {
namespace {

[[noreturn]] void fail_to_lock(const std::filesystem::path& path) {
  throw OutputError(path.string() + ": cannot be locked: " + std::system_category().message(errno));
}

}  // namespace

PullLock::PullLock(std::filesystem::path path, const std::function<void()>& tell_wait,
                   const std::function<bool()>& should_stop)
    : path_(std::move(path)) {
  // The one who had it has removed the file: a lock on that keeps nobody out.
  do {
    descriptor_.reset(::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
    if (!descriptor_.is_open()) fail_to_lock(path_);
    if (::flock(descriptor_.get(), LOCK_EX | LOCK_NB) == 0) continue;
    if (errno == EWOULDBLOCK) tell_wait();
    while (::flock(descriptor_.get(), LOCK_EX) != 0) {
      if (errno != EINTR) fail_to_lock(path_);
      if (should_stop && should_stop()) throw models::Stopped();
    }
  } while (!is_at_path());
}

PullLock::~PullLock() { ::unlink(path_.c_str()); }

bool PullLock::is_at_path() const {
  struct stat ours {};
  struct stat there {};
  return ::fstat(descriptor_.get(), &ours) == 0 && ::stat(path_.c_str(), &there) == 0 &&
         ours.st_ino == there.st_ino && ours.st_dev == there.st_dev;
}

}  // namespace wnpu::app
