#include "audio/input_file.h"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

#include "audio/error.h"

namespace wnpu::audio {
namespace {

std::string errno_text(int error) { return std::generic_category().message(error); }

int open_file(const std::string& name) {
  const int fd = ::open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (fd < 0) throw AudioError(name + ": expected an audio file, found: " + errno_text(errno));
  return fd;
}

// An unlinked file, in TMPDIR or else /var/tmp: hours of audio do not belong on a /tmp that may be
// memory.
int open_spool(const std::string& name) {
  const char* tmpdir = std::getenv("TMPDIR");
  std::string path = tmpdir != nullptr && *tmpdir != '\0' ? tmpdir : "/var/tmp";
  path += "/whisper-npu-XXXXXX";
  const int fd = ::mkostemp(path.data(), O_CLOEXEC);
  if (fd < 0) {
    throw AudioError(name + ": expected to make a temporary file " + path +
                     ", found: " + errno_text(errno));
  }
  ::unlink(path.c_str());
  return fd;
}

void write_all(int fd, std::span<const std::byte> bytes, const std::string& name) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      throw AudioError(name + ": expected room for a temporary copy, found: " + errno_text(errno));
    }
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
}

void copy_to_spool(int from, int spool, const std::string& name) {
  std::vector<std::byte> block(1U << 16);
  while (true) {
    const ssize_t n = ::read(from, block.data(), block.size());
    if (n == 0) return;
    if (n < 0)
      throw AudioError(name + ": expected to read to its end, found: " + errno_text(errno));
    write_all(spool, std::span(block).first(static_cast<std::size_t>(n)), name);
  }
}

// Closes at scope's end, also when an exception passes.
struct Fd {
  ~Fd() {
    if (value >= 0) ::close(value);
  }
  int release() { return std::exchange(value, -1); }
  int value = -1;
};

// A seekable descriptor with the bytes of `source`; `source` itself where it can seek.
int seekable(Fd& source, const std::string& name) {
  struct stat status {};
  if (::fstat(source.value, &status) != 0) {
    throw AudioError(name + ": expected an audio file, found: " + errno_text(errno));
  }
  if (S_ISDIR(status.st_mode)) {
    throw AudioError(name + ": expected an audio file, found a directory");
  }
  // A regular file on stdin that was partly read already (`(read line; whisper-npu -) < file`) is
  // copied from where it stands.
  if (S_ISREG(status.st_mode) && ::lseek(source.value, 0, SEEK_CUR) == 0) return source.release();
  Fd spool{open_spool(name)};
  copy_to_spool(source.value, spool.value, name);
  return spool.release();
}

}  // namespace

InputFile::InputFile(const Input& input) : raw_format_(input.raw_format) {
  const bool is_stdin = input.path == "-";
  name_ = is_stdin ? "stdin" : input.path.string();
  Fd source{is_stdin ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : open_file(name_)};
  if (source.value < 0)
    throw AudioError("stdin: expected it to be open, found: " + errno_text(errno));
  Fd bytes{seekable(source, name_)};
  struct stat status {};
  if (::fstat(bytes.value, &status) != 0) {
    throw AudioError(name_ + ": expected an audio file, found: " + errno_text(errno));
  }
  size_ = static_cast<std::uint64_t>(status.st_size);
  if (size_ == 0 && !raw_format_) {
    throw AudioError(name_ + ": expected an audio file, found an empty file (0 bytes)");
  }
  fd_ = bytes.release();
}

InputFile::~InputFile() {
  if (fd_ >= 0) ::close(fd_);
}

InputFile::InputFile(InputFile&& other) noexcept
    : name_(std::move(other.name_)),
      raw_format_(other.raw_format_),
      fd_(std::exchange(other.fd_, -1)),
      size_(other.size_),
      read_errno_(other.read_errno_) {}

InputFile InputFile::duplicate() const {
  InputFile copy;
  copy.fd_ = ::fcntl(fd_, F_DUPFD_CLOEXEC, 0);
  if (copy.fd_ < 0)
    throw AudioError(name_ + ": expected to open it again, found: " + errno_text(errno));
  copy.name_ = name_;
  copy.raw_format_ = raw_format_;
  copy.size_ = size_;
  return copy;
}

std::size_t InputFile::read_at(std::uint64_t offset, std::span<std::byte> out) noexcept {
  std::size_t done = 0;
  while (done < out.size()) {
    const ssize_t n =
        ::pread(fd_, out.data() + done, out.size() - done, static_cast<off_t>(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) read_errno_ = errno;
    if (n <= 0) break;
    done += static_cast<std::size_t>(n);
  }
  return done;
}

void InputFile::check() const {
  if (read_errno_ != 0) {
    throw AudioError(name_ + ": expected to read to its end, found: " + errno_text(read_errno_));
  }
}

}  // namespace wnpu::audio
