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
#include "models/base/error.h"
#include "models/base/folder.h"

namespace wnpu::audio {
namespace {

std::string errno_text(int error) { return std::generic_category().message(error); }

[[noreturn]] void fail_to_open(const std::string& name, const std::string& expected) {
  const int error = errno;
  models::check_can_open_files(name);
  throw AudioError(name + ": expected " + expected + ", found: " + errno_text(error));
}

// Devices are refused: they may have no end, or do something when they are opened.
void check_kind(const std::string& path, const std::string& name) {
  struct stat status {};
  const bool is_there = ::stat(path.c_str(), &status) == 0;  // else open tells why
  if (is_there && (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode))) {
    throw AudioError(name + ": expected an audio file or a pipe, found a device");
  }
}

int open_file(const std::string& path, const std::string& name) {
  check_kind(path, name);
  // O_NONBLOCK: to open a named pipe must not wait for a writer; regular files do not care.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (fd < 0) fail_to_open(name, "an audio file");
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

// A copy of an input: whose it is, what it may take, and when to leave it.
struct SpoolOrder {
  const Input& input;
  const std::function<bool()>& should_stop;
};

// Bytes of one second of the input's audio, as its beginning tells.
double bytes_per_second(const Input& input, std::span<const std::byte> begin) {
  constexpr double kMostUsual = 384000;
  constexpr std::size_t kByteRate = 28;  // behind "RIFF....WAVEfmt " and three fields
  if (input.raw_format) {
    const RawFormat& raw = *input.raw_format;
    return double(bytes_per_frame(raw)) * raw.sample_rate;
  }
  if (begin.size() < kByteRate + 4) return kMostUsual;
  const std::string_view text(reinterpret_cast<const char*>(begin.data()), begin.size());
  if (!text.starts_with("RI") && !text.starts_with("RF")) return kMostUsual;
  if (text.substr(8, 8) != "WAVEfmt ") return kMostUsual;
  std::uint32_t rate = 0;
  for (std::size_t i = 4; i-- > 0;) {
    rate = rate << 8U | static_cast<unsigned char>(text[kByteRate + i]);
  }
  return rate > 0 ? rate : kMostUsual;
}

// The bytes of so many seconds, and what a header may take beside them.
std::uint64_t most_bytes(const Input& input, std::span<const std::byte> begin) {
  const double most = std::min(input.spool_s * bytes_per_second(input, begin), 1e18);
  constexpr std::uint64_t kHeader = 1U << 20;
  return static_cast<std::uint64_t>(most) + (input.raw_format ? 0 : kHeader);
}

[[noreturn]] void refuse_endless(const SpoolOrder& order, const std::string& name,
                                 std::uint64_t by_duration, std::uint64_t by_disk) {
  const std::string expected =
      name + ": expected an end within " + mebibytes(std::min(by_duration, by_disk)) + ", found ";
  if (by_duration < by_disk) {
    throw AudioError(expected +
                     "more: " + std::to_string(static_cast<std::uint64_t>(order.input.spool_s)) +
                     " s of audio are taken of what cannot seek (--max-duration)");
  }
  throw AudioError(expected +
                   "more: its temporary copy may take half of what is free in TMPDIR "
                   "(else /var/tmp), and at most " +
                   mebibytes(order.input.spool_bytes));
}

void copy_to_spool(int from, int spool, const SpoolOrder& order, const std::string& name) {
  const std::uint64_t room = room_for_spool(spool, order.input.spool_bytes);
  std::uint64_t by_duration = 0;
  std::uint64_t total = 0;
  std::vector<std::byte> block(1U << 16);
  while (true) {
    wait_for_bytes(from, order.should_stop);
    const ssize_t n = ::read(from, block.data(), block.size());
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (n == 0) return;
    if (n < 0)
      throw AudioError(name + ": expected to read to its end, found: " + errno_text(errno));
    const auto bytes = std::span(block).first(static_cast<std::size_t>(n));
    if (total == 0) by_duration = most_bytes(order.input, bytes);
    total += bytes.size();
    if (total > std::min(room, by_duration)) refuse_endless(order, name, by_duration, room);
    append_to_spool(spool, bytes, name);
  }
}

// A seekable descriptor with the bytes of `source`; `source` itself where it can seek.
models::Descriptor seekable(models::Descriptor source, const SpoolOrder& order,
                            const std::string& name) {
  struct stat status {};
  if (::fstat(source.get(), &status) != 0) {
    throw AudioError(name + ": expected an audio file, found: " + errno_text(errno));
  }
  if (S_ISDIR(status.st_mode)) {
    throw AudioError(name + ": expected an audio file, found a directory");
  }
  // A regular file on stdin that was partly read already (`(read line; whisper-npu -) < file`) is
  // copied from where it stands.
  if (S_ISREG(status.st_mode) && ::lseek(source.get(), 0, SEEK_CUR) == 0) return source;
  models::Descriptor spool(open_spool(name));
  copy_to_spool(source.get(), spool.get(), order, name);
  return spool;
}

}  // namespace

InputFile::InputFile(const Input& input, std::function<bool()> should_stop)
    : should_stop_(std::move(should_stop)),
      raw_format_(input.raw_format),
      audio_track_(input.audio_track),
      range_(input.range),
      container_times_(input.container_times) {
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
  models::Descriptor source(is_stdin ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                                     : open_file(path, name_));
  if (!source.is_open()) fail_to_open("stdin", "it to be open");
  file_ = seekable(std::move(source), {input, should_stop_}, name_);
  struct stat status {};
  if (::fstat(file_.get(), &status) != 0) {
    throw AudioError(name_ + ": expected an audio file, found: " + errno_text(errno));
  }
  size_ = static_cast<std::uint64_t>(status.st_size);
}

InputFile InputFile::duplicate() const {
  InputFile copy;
  if (file_.is_open()) {
    copy.file_.reset(::fcntl(file_.get(), F_DUPFD_CLOEXEC, 0));
    if (!copy.file_.is_open()) fail_to_open(name_, "to open it again");
  }
  copy.memory_ = memory_;
  copy.name_ = name_;
  copy.should_stop_ = should_stop_;
  copy.raw_format_ = raw_format_;
  copy.audio_track_ = audio_track_;
  copy.channel_ = channel_;
  copy.range_ = range_;
  copy.container_times_ = container_times_;
  copy.size_ = size_;
  return copy;
}

InputFile InputFile::of_channel(std::size_t channel) const {
  InputFile one = duplicate();
  one.channel_ = channel;
  return one;
}

std::size_t InputFile::read_at(std::uint64_t offset, std::span<std::byte> out) noexcept {
  if (!file_.is_open()) {
    if (offset >= size_ || should_stop()) return 0;
    const auto rest = memory_.subspan(static_cast<std::size_t>(offset));
    const std::size_t n = std::min(out.size(), rest.size());
    std::ranges::copy(rest.first(n), out.begin());
    return n;
  }
  std::size_t done = 0;
  while (done < out.size() && !should_stop()) {
    const ssize_t n = ::pread(file_.get(), out.data() + done, out.size() - done,
                              static_cast<off_t>(offset + done));
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
