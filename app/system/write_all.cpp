#include "app/system/write_all.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <climits>

#include "app/formats/shown_text.h"
#include "app/options/exit_code.h"
#include "app/system/signals.h"
#include "models/base/error.h"

namespace wnpu::app {
namespace {

constexpr int kPatienceMs = 100;

// Returns when a descriptor takes some bytes, or an error; none: when the patience is over.
void wait_until_writable(pollfd* descriptor) {
  const int ready = ::poll(descriptor, descriptor == nullptr ? 0 : 1, kPatienceMs);
  if (ready == 0 && received_signal() != 0) throw models::Stopped();
}

bool would_wait(pollfd& descriptor) {
  wait_until_writable(&descriptor);
  return descriptor.revents == 0;
}

[[noreturn]] void fail_to_write(const std::string& name, const char* call) {
  const std::string text = name + ": " + call + ": " + std::strerror(errno);
  if (errno == EPIPE) throw BrokenPipe(text);
  throw OutputError(text);
}

}  // namespace

void write_all(int descriptor, std::string_view contents, const std::string& name) {
  pollfd wanted{descriptor, POLLOUT, 0};
  while (!contents.empty()) {
    if (would_wait(wanted)) continue;
    // A pipe that has room has it for so many: more might wait within the call.
    const std::size_t size = std::min<std::size_t>(contents.size(), PIPE_BUF);
    const ssize_t written = ::write(descriptor, contents.data(), size);
    if (written >= 0) {
      contents.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR && errno != EAGAIN) {
      fail_to_write(name, "write");
    }
  }
}

void print_report(std::string_view text) {
  if (::isatty(STDOUT_FILENO) == 0) return write_all(STDOUT_FILENO, text, "stdout");
  write_all(STDOUT_FILENO, printable_lines(text), "stdout");
}

int open_in_place(const std::filesystem::path& path) {
  while (true) {
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor >= 0) return descriptor;
    if (errno != ENXIO || !std::filesystem::is_fifo(path)) fail_to_write(path, "open");
    wait_until_writable(nullptr);  // for a reader
  }
}

std::streamsize DescriptorStream::xsputn(const char* text, std::streamsize size) {
  write_all(descriptor_, {text, static_cast<std::size_t>(size)}, "stderr");
  return size;
}

std::streambuf::int_type DescriptorStream::overflow(int_type character) {
  if (character == traits_type::eof()) return traits_type::not_eof(character);
  const char byte = traits_type::to_char_type(character);
  write_all(descriptor_, {&byte, 1}, "stderr");
  return character;
}

}  // namespace wnpu::app
