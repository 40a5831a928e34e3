#include "bench/peer_process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <fstream>
#include <spawn.h>
#include <sstream>
#include <stdexcept>
#include <sys/socket.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <nlohmann/json.hpp>

namespace wnpu::bench {
namespace {

std::string words(int error) { return std::generic_category().message(error); }

// Starts command with `socket` as its standard input and output.
pid_t spawn(std::vector<std::string>& command, int socket) {
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (std::string& argument : command) {
    arguments.push_back(argument.data());
  }
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, socket, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, socket, STDOUT_FILENO);
  pid_t process = -1;
  const int error =
      posix_spawnp(&process, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    throw std::runtime_error(command[0] + ": cannot be started: " + words(error));
  }
  return process;
}

}  // namespace

PeerProcess::PeerProcess(std::vector<std::string> command) : command_(std::move(command)) {
  // A socket instead of pipes, since sending can then fail without a signal.
  std::array<int, 2> ends = {-1, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw std::runtime_error(command_[0] + ": no socket pair: " + words(errno));
  }
  socket_ = ends[0];
  try {
    process_ = spawn(command_, ends[1]);
  } catch (...) {
    close(ends[0]);
    close(ends[1]);
    throw;
  }
  close(ends[1]);
}

PeerProcess::~PeerProcess() {
  close(socket_);
  int status = 0;
  while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
}

PeerRun PeerProcess::transcribe(const std::string& file) {
  const std::string line = file + "\n";
  // A peer that has ended shows when its answer is read.
  static_cast<void>(send(socket_, line.data(), line.size(), MSG_NOSIGNAL));
  const std::string answer = read_line();
  const auto json = nlohmann::json::parse(answer, nullptr, false);
  if (!json.is_object() || !(json.contains("error") || json.contains("seconds"))) {
    throw std::runtime_error(command_[0] + ": expected a result in JSON, found " + answer);
  }
  if (json.contains("error")) {
    throw std::runtime_error(json.value("peer", command_[0]) + ": " + file + ": " +
                             json["error"].get<std::string>());
  }
  return {json.at("peer"),    json.at("version"),      json.at("precision"), json.at("text"),
          json.at("seconds"), json.at("load_seconds"), json.at("rss")};
}

double PeerProcess::cpu_seconds() const {
  // man 5 proc: pid (comm) state ppid ...; utime and stime are fields 14 and 15, in ticks.
  std::ifstream file("/proc/" + std::to_string(process_) + "/stat");
  std::string line;
  std::getline(file, line);
  std::istringstream fields(line.substr(std::min(line.size(), line.rfind(')') + 1)));
  std::string skipped;
  for (int field = 3; field < 14; ++field) fields >> skipped;
  double user = 0;
  double system = 0;
  fields >> user >> system;
  return (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

std::string PeerProcess::read_line() {
  for (;;) {
    if (const std::size_t end = received_.find('\n'); end != std::string::npos) {
      std::string line = received_.substr(0, end);
      received_.erase(0, end + 1);
      return line;
    }
    std::array<char, 4096> block = {};
    const ssize_t count = read(socket_, block.data(), block.size());
    if (count == 0 || (count < 0 && errno != EINTR)) {
      throw std::runtime_error(command_[0] + ": expected a result, but the process has ended");
    }
    received_.append(block.data(), count > 0 ? static_cast<std::size_t>(count) : 0);
  }
}

}  // namespace wnpu::bench
