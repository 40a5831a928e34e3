#include "app/jobs/manifest/result_file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <limits>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "app/options/exit_code.h"
#include "app/system/output_file.h"
#include "app/system/unfinished_file.h"

namespace wnpu::app {
namespace {

// Most bytes of results that a machine may lose with its power.
constexpr std::size_t kUnsyncedBytes = std::size_t{1} << 20U;

[[noreturn]] void fail_call(const std::filesystem::path& path, const std::string& call) {
  throw OutputError(path.string() + ": " + call + ": " + std::strerror(errno));
}

}  // namespace

ResultFile::ResultFile(std::filesystem::path path, Opening opening)
    : path_(std::move(path)), opening_(opening) {
  constexpr int kFlags = O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC;
  std::error_code error;
  is_made_ = opening == Opening::make ||
             !std::filesystem::exists(std::filesystem::symlink_status(path_, error));
  open(is_made_ ? kFlags | O_EXCL : kFlags);
  struct stat state {};
  if (::fstat(descriptor(), &state) != 0 || !S_ISREG(state.st_mode)) {
    throw OutputError(path_.string() + ": expected a regular file, which results are added to");
  }
  lock();
  if (is_made_ && !note_unfinished_file(path_.native())) is_made_ = false;
}

ResultFile::~ResultFile() {
  if (is_made_) {
    ::unlink(path_.c_str());
    forget_unfinished_file();
  }
  ::fsync(descriptor());
}

void ResultFile::begin() {
  is_made_ = false;
  forget_unfinished_file();
  if (opening_ == Opening::replace && ::ftruncate(descriptor(), 0) != 0) {
    fail_call(path_, "ftruncate");
  }
}

std::string ResultFile::first_bytes(std::size_t most) const {
  std::string bytes(most, '\0');
  std::size_t n_read = 0;
  while (n_read < most) {
    const ssize_t size =
        ::pread(descriptor(), bytes.data() + n_read, most - n_read, static_cast<off_t>(n_read));
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) fail_call(path_, "read");
    if (size == 0) break;
    n_read += static_cast<std::size_t>(size);
  }
  bytes.resize(n_read);
  return bytes;
}

void ResultFile::open(int flags) {
  constexpr mode_t kMode = 0666;
  descriptor_.reset(::open(path_.c_str(), flags, kMode));
  if (descriptor_.is_open()) return;
  if (errno == EEXIST) {
    throw OutputError(path_.string() +
                      ": is there already: --resume goes on with it, --overwrite replaces it");
  }
  fail_call(path_, "open");
}

void ResultFile::lock() const {
  if (::flock(descriptor(), LOCK_EX | LOCK_NB) == 0) return;
  if (errno == EWOULDBLOCK) {
    throw OutputError(path_.string() +
                      ": expected to write it alone, found that another process "
                      "adds to it");
  }
  fail_call(path_, "flock");
}

void ResultFile::read(const LineSplitter::Take& take) const {
  LineSplitter lines(std::numeric_limits<std::size_t>::max());
  std::vector<char> bytes(std::size_t{1} << 20U);
  off_t at = 0;
  while (true) {
    const ssize_t size = ::pread(descriptor(), bytes.data(), bytes.size(), at);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) fail_call(path_, "read");
    if (size == 0) return;
    lines.add({bytes.data(), static_cast<std::size_t>(size)}, take);
    at += size;
  }
}

void ResultFile::clean(const std::function<bool(const Line&)>& keeps) {
  off_t whole = 0;
  bool has_others = false;
  read([&](const Line& line) {
    whole += static_cast<off_t>(line.text.size()) + 1;
    has_others = has_others || (keeps && !keeps(line));
  });
  if (::ftruncate(descriptor(), whole) != 0) fail_call(path_, "ftruncate");
  if (!has_others) return;
  write_file(path_, [&](const models::Sink& sink) {
    read([&](const Line& line) {
      if (keeps(line)) sink(std::string(line.text) + "\n");
    });
  });
  // The new file under the old one's number, which descriptor() has told.
  const int number = descriptor_.release();
  open(O_RDWR | O_APPEND | O_CLOEXEC);
  const models::Descriptor replacing = std::move(descriptor_);
  descriptor_.reset(::dup3(replacing.get(), number, O_CLOEXEC));
  if (!descriptor_.is_open()) fail_call(path_, "dup3");
  lock();
}

void ResultFile::add(std::string_view line) {
  for (std::string_view rest = line; !rest.empty();) {
    const ssize_t written = ::write(descriptor(), rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_call(path_, "write");
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  n_unsynced_ += line.size();
  if (n_unsynced_ >= kUnsyncedBytes) sync();
}

void ResultFile::sync() {
  if (::fsync(descriptor()) != 0) fail_call(path_, "fsync");
  n_unsynced_ = 0;
}

}  // namespace wnpu::app
