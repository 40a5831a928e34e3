#include "audio/read/input_file.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <poll.h>
#include <string>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

#include "audio/read/error.h"
#include "audio/read/spool_file.h"
#include "models/base/stopped.h"

namespace wnpu::audio {
namespace {

std::string errno_text(int error) { return std::generic_category().message(error); }

int open_file(const std::string& path, const std::string& name) {
  // O_NONBLOCK: to open a named pipe must not wait for a writer; regular files do not care.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (fd < 0) throw AudioError(name + ": expected an audio file, found: " + errno_text(errno));
  return fd;
}

// Returns when a read of `fd` would not wait. Throws Stopped.
void wait_for_bytes(int fd, const std::function<bool()>& should_stop) {
  constexpr int kAskEveryMs = 100;
  pollfd wanted{fd, POLLIN, 0};
  do {
    if (should_stop && should_stop()) throw models::Stopped();
  } while (::poll(&wanted, 1, kAskEveryMs) <= 0);
}

std::string mebibytes(std::uint64_t bytes) { return std::to_string(bytes >> 20) + " MiB"; }

// What a copy of an input may take, and when to leave it.
struct SpoolLimits {
  std::uint64_t bytes;
  const std::function<bool()>& should_stop;
};

void copy_to_spool(int from, int spool, const SpoolLimits& limits, const std::string& name) {
  const std::uint64_t room = room_for_spool(spool, limits.bytes);
  std::uint64_t total = 0;
  std::vector<std::byte> block(1U << 16);
  while (true) {
    wait_for_bytes(from, limits.should_stop);
    const ssize_t n = ::read(from, block.data(), block.size());
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (n == 0) return;
    if (n < 0)
      throw AudioError(name + ": expected to read to its end, found: " + errno_text(errno));
    total += static_cast<std::uint64_t>(n);
    if (total > room) {
      throw AudioError(name + ": expected an end within " + mebibytes(room) +
                       ", found more: its temporary copy may take half of what is free in TMPDIR "
                       "(else /var/tmp), and at most " +
                       mebibytes(limits.bytes));
    }
    append_to_spool(spool, std::span(block).first(static_cast<std::size_t>(n)), name);
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
int seekable(Fd& source, const SpoolLimits& limits, const std::string& name) {
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
  copy_to_spool(source.value, spool.value, limits, name);
  return spool.release();
}

}  // namespace

InputFile::InputFile(const Input& input, std::function<bool()> should_stop)
    : should_stop_(std::move(should_stop)),
      raw_format_(input.raw_format),
      audio_track_(input.audio_track),
      range_(input.range) {
  if (input.path.empty()) {
    name_ = "memory";
    memory_ = input.memory;
    size_ = memory_.size();
    if (!input.name.empty()) name_ = input.name;
  } else {
    open(input);
  }
  if (size_ == 0 && !raw_format_) {
    throw AudioError(name_ + ": expected an audio file, found an empty file (0 bytes)");
  }
}

void InputFile::open(const Input& input) {
  const bool is_stdin = input.path == "-";
  const std::string path = is_stdin ? "stdin" : input.path.string();
  name_ = input.name.empty() ? path : input.name;
  Fd source{is_stdin ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : open_file(path, name_)};
  if (source.value < 0)
    throw AudioError("stdin: expected it to be open, found: " + errno_text(errno));
  Fd bytes{seekable(source, {input.spool_bytes, should_stop_}, name_)};
  struct stat status {};
  if (::fstat(bytes.value, &status) != 0) {
    throw AudioError(name_ + ": expected an audio file, found: " + errno_text(errno));
  }
  size_ = static_cast<std::uint64_t>(status.st_size);
  fd_ = bytes.release();
}

InputFile::~InputFile() {
  if (fd_ >= 0) ::close(fd_);
}

InputFile::InputFile(InputFile&& other) noexcept
    : name_(std::move(other.name_)),
      should_stop_(std::move(other.should_stop_)),
      raw_format_(other.raw_format_),
      audio_track_(other.audio_track_),
      range_(other.range_),
      memory_(other.memory_),
      fd_(std::exchange(other.fd_, -1)),
      size_(other.size_),
      read_errno_(other.read_errno_) {}

InputFile InputFile::duplicate() const {
  InputFile copy;
  if (fd_ >= 0) {
    copy.fd_ = ::fcntl(fd_, F_DUPFD_CLOEXEC, 0);
    if (copy.fd_ < 0)
      throw AudioError(name_ + ": expected to open it again, found: " + errno_text(errno));
  }
  copy.memory_ = memory_;
  copy.name_ = name_;
  copy.should_stop_ = should_stop_;
  copy.raw_format_ = raw_format_;
  copy.audio_track_ = audio_track_;
  copy.range_ = range_;
  copy.size_ = size_;
  return copy;
}

std::size_t InputFile::read_at(std::uint64_t offset, std::span<std::byte> out) noexcept {
  if (fd_ < 0) {
    if (offset >= size_ || should_stop()) return 0;
    const auto rest = memory_.subspan(static_cast<std::size_t>(offset));
    const std::size_t n = std::min(out.size(), rest.size());
    std::ranges::copy(rest.first(n), out.begin());
    return n;
  }
  std::size_t done = 0;
  while (done < out.size() && !should_stop()) {
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
  if (should_stop()) throw models::Stopped();
  if (read_errno_ != 0) {
    throw AudioError(name_ + ": expected to read to its end, found: " + errno_text(read_errno_));
  }
}

}  // namespace wnpu::audio
