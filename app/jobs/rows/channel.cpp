#include "app/jobs/rows/channel.h"

#include <array>
#include <cerrno>
#include <limits>
#include <poll.h>
#include <sys/socket.h>
#include <system_error>

#include <nlohmann/json.hpp>

namespace wnpu::app {

using nlohmann::ordered_json;

Channel::Channel(int descriptor)
    : descriptor_(descriptor), lines_(std::numeric_limits<std::size_t>::max()) {}

void Channel::send(const ordered_json& message) {
  // A message of the system may be no UTF-8.
  to_send_ += message.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
  flush();
}

bool Channel::flush() {
  while (!to_send_.empty()) {
    const ssize_t sent =
        ::send(descriptor(), to_send_.data(), to_send_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      to_send_.erase(0, static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      return false;
    } else if (errno != EINTR) {
      to_send_.clear();  // nobody is there; receive() tells it
    }
  }
  return true;
}

void Channel::send_now(const ordered_json& message) {
  send(message);
  while (!flush()) {
    pollfd wanted{descriptor(), POLLOUT, 0};
    ::poll(&wanted, 1, -1);
  }
}

void Channel::end() { ::shutdown(descriptor(), SHUT_WR); }

bool Channel::receive(const Take& take) {
  std::array<char, 1U << 16U>
      bytes;  // NOLINT(cppcoreguidelines-pro-type-member-init): is read into
  // Unfinished last lines are dropped: their sender died while it wrote.
  const auto take_line = [&take](const Line& line) { take(ordered_json::parse(line.text)); };
  while (true) {
    const ssize_t size = ::recv(descriptor(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (size == 0) return false;
    if (size > 0) lines_.add({bytes.data(), static_cast<std::size_t>(size)}, take_line);
    if (size > 0 || errno == EINTR) continue;
    return errno == EAGAIN || errno == EWOULDBLOCK;
  }
}

}  // namespace wnpu::app
