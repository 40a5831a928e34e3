#include "audio/read/spool_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <sys/statvfs.h>
#include <system_error>
#include <unistd.h>

#include "audio/read/error.h"
#include "models/base/folder.h"

namespace wnpu::audio {

int open_spool(const std::string& name, const std::string& folder) {
  const char* tmpdir = std::getenv("TMPDIR");
  std::string path = tmpdir != nullptr && *tmpdir != '\0' ? tmpdir : "/var/tmp";
  if (!folder.empty()) path = folder;
  const int unnamed = ::open(path.c_str(), O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
  if (unnamed >= 0) return unnamed;
  path += "/whisper-npu-XXXXXX";  // a file system that knows no such files
  const int fd = ::mkostemp(path.data(), O_CLOEXEC);
  if (fd < 0) {
    const int error = errno;
    models::check_can_open_files(name);
    throw AudioError(name + ": expected to make a temporary file " + path +
                     ", found: " + std::generic_category().message(error));
  }
  ::unlink(path.c_str());
  return fd;
}

std::uint64_t room_for_spool(int spool, std::uint64_t limit) {
  struct statvfs status {};
  if (::fstatvfs(spool, &status) != 0) return limit;
  return std::min(limit, std::uint64_t{status.f_bavail} * status.f_frsize / 2);
}

void append_to_spool(int spool, std::span<const std::byte> bytes, const std::string& name) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(spool, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      throw AudioError(name + ": expected room for a temporary copy, found: " +
                       std::generic_category().message(errno));
    }
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
}

}  // namespace wnpu::audio
