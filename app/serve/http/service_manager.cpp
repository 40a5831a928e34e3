#include "app/serve/http/service_manager.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "app/options/exit_code.h"

namespace wnpu::serve {
namespace {

constexpr int kFirstPassed = 3;  // by sd_listen_fds(3)

// Its value, which no child is to see.
std::string taken_variable(const char* name) {
  const char* const value = std::getenv(name);
  std::string text = value != nullptr ? value : "";
  ::unsetenv(name);
  return text;
}

}  // namespace

std::optional<int> passed_socket() {
  const std::string process = taken_variable("LISTEN_PID");
  const std::string number = taken_variable("LISTEN_FDS");
  if (number.empty() || process != std::to_string(::getpid())) return std::nullopt;
  if (number != "1") throw app::UsageError("LISTEN_FDS: expected 1 socket, found " + number);
  int is_listening = 0;
  socklen_t size = sizeof is_listening;
  sockaddr_storage address{};
  socklen_t address_size = sizeof address;
  const bool is_socket =
      ::getsockopt(kFirstPassed, SOL_SOCKET, SO_ACCEPTCONN, &is_listening, &size) == 0 &&
      ::getsockname(kFirstPassed, reinterpret_cast<sockaddr*>(&address), &address_size) == 0;
  const bool is_internet = address.ss_family == AF_INET || address.ss_family == AF_INET6;
  if (!is_socket || is_listening == 0 || !is_internet)
    throw app::UsageError("LISTEN_FDS: expected a socket of TCP that listens, found another");
  ::fcntl(kFirstPassed, F_SETFD, FD_CLOEXEC);
  return kFirstPassed;
}

void tell_manager(std::string_view state) {
  const char* const path = std::getenv("NOTIFY_SOCKET");
  if (path == nullptr) return;
  const std::string_view name(path);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (name.size() < 2 || name.size() >= sizeof address.sun_path) return;
  std::ranges::copy(name, address.sun_path);
  if (name.starts_with('@')) address.sun_path[0] = '\0';  // of no file system
  const int socket = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return;
  ::sendto(socket, state.data(), state.size(), MSG_NOSIGNAL,
           reinterpret_cast<const sockaddr*>(&address),
           static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size()));
  ::close(socket);
}

}  // namespace wnpu::serve
