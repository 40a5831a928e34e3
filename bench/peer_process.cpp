#include "bench/peer_process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <nlohmann/json.hpp>

#include "bench/child_process.h"

namespace wnpu::bench {
namespace {

std::string words(int error) { return std::generic_category().message(error); }

}  // namespace

PeerProcess::PeerProcess(std::vector<std::string> command) : command_(std::move(command)) {
  // A socket instead of pipes, since sending can then fail without a signal.
  std::array<int, 2> ends = {-1, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw std::runtime_error(command_[0] + ": no socket pair: " + words(errno));
  }
  socket_ = ends[0];
  try {
    process_ = start_process(command_, {{ends[1], STDIN_FILENO}, {ends[1], STDOUT_FILENO}});
  } catch (...) {
    close(ends[0]);
    close(ends[1]);
    throw;
  }
  close(ends[1]);
}

PeerProcess::~PeerProcess() {
  close(socket_);
  wait_for(process_);
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
