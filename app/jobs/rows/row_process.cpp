#include "app/jobs/rows/row_process.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "app/jobs/process.h"

namespace wnpu::app {
namespace {

int wait_status(pid_t process) {
  int status = 0;
  while (::waitpid(process, &status, 0) < 0) {
    if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "waitpid");
  }
  return status;
}

// stdin has rows, and stdout results: neither is the worker's.
void leave_streams_alone(std::span<const int> others) {
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nothing >= 0) ::dup2(nothing, STDIN_FILENO);
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  if (nothing > STDERR_FILENO) ::close(nothing);
  for (const int descriptor : others) {
    if (descriptor > STDERR_FILENO) ::close(descriptor);
  }
}

}  // namespace

RowProcess::RowProcess(const ServeRows& serve, bool is_isolated, std::span<const int> not_its_own) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw std::system_error(errno, std::generic_category(), "socketpair");
  }
  channel_ = std::make_unique<Channel>(ends[0]);
  auto others = std::make_unique<Channel>(ends[1]);
  if (is_isolated) {
    const auto work = [&] {
      channel_.reset();
      leave_streams_alone(not_its_own);
      return serve(*others);
    };
    process_ = fork_worker(work, [](pid_t) {});
  } else {
    thread_ = std::thread([this, serve, end = std::move(others)]() mutable {
      code_ = serve(*end);
      end.reset();
    });
  }
}

RowProcess::~RowProcess() {
  if (process_ != 0) {
    ::kill(process_, SIGKILL);
    int status = 0;
    while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
  }
  if (thread_.joinable()) {
    ::shutdown(channel_->descriptor(), SHUT_RDWR);
    thread_.join();
  }
}

void RowProcess::kill() {
  if (process_ != 0) ::kill(process_, SIGKILL);
}

std::string RowProcess::wait() {
  if (process_ != 0) return cause_of_death(wait_status(std::exchange(process_, 0)));
  thread_.join();
  return "ended with exit code " + std::to_string(code_);
}

}  // namespace wnpu::app
