#include "bench/core/child_process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <initializer_list>
#include <spawn.h>
#include <sstream>
#include <stdexcept>
#include <sys/socket.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "app/engine/model_path.h"

namespace wnpu::bench {
namespace {

// The child's descriptor `to` becomes what `from` is here.
struct Redirection {
  int from;
  int to;
};

std::string words(int error) { return std::generic_category().message(error); }

// Starts command[0], looked for in PATH. Throws std::runtime_error where it cannot be started.
pid_t start_process(std::vector<std::string> command,
                    std::initializer_list<Redirection> redirections) {
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (std::string& argument : command) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const auto& [from, to] : redirections) {
    posix_spawn_file_actions_adddup2(&actions, from, to);
  }
  pid_t process = -1;
  const int error =
      posix_spawnp(&process, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::runtime_error(command[0] + ": cannot be started: " + words(error));
  return process;
}

// Waits for its end; returns what waitpid says.
int wait_for(pid_t process) {
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace

int run_command(std::vector<std::string> command) {
  const int status = wait_for(start_process(std::move(command), {{STDERR_FILENO, STDOUT_FILENO}}));
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

AnsweringProcess::AnsweringProcess(std::vector<std::string> command)
    : command_(std::move(command)) {
  // A socket instead of pipes, since sending can then fail without a signal.
  std::array<int, 2> ends = {-1, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw std::runtime_error(program() + ": no socket pair: " + words(errno));
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

AnsweringProcess::~AnsweringProcess() {
  close(socket_);
  wait_for(process_);
}

std::string AnsweringProcess::ask(const std::string& line) {
  const std::string question = line + "\n";
  // A process that has ended shows when its answer is read.
  static_cast<void>(send(socket_, question.data(), question.size(), MSG_NOSIGNAL));
  for (;;) {
    if (const std::size_t end = received_.find('\n'); end != std::string::npos) {
      std::string answer = received_.substr(0, end);
      received_.erase(0, end + 1);
      return answer;
    }
    std::array<char, 4096> block = {};
    const ssize_t count = read(socket_, block.data(), block.size());
    if (count == 0 || (count < 0 && errno != EINTR)) {
      throw std::runtime_error(program() + ": expected a result, but the process has ended");
    }
    received_.append(block.data(), count > 0 ? static_cast<std::size_t>(count) : 0);
  }
}

double AnsweringProcess::cpu_seconds() const {
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

std::filesystem::path peers_folder() { return app::model_folder() / "peers"; }

std::string peers_python(const std::string& peer) {
  const std::filesystem::path native = peers_folder() / "venv-native" / "bin" / "python";
  if (peer == "whisper.cpp" && std::filesystem::exists(native)) return native.string();
  const char* venv = peer == "openvino-genai" ? "venv-openvino" : "venv";
  return (peers_folder() / venv / "bin" / "python").string();
}

std::filesystem::path bench_script(const std::string& name) {
  std::error_code error;  // what may not be looked at is not there
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  std::filesystem::path script =
      (program.parent_path() / "../share/whisper-npu" / name).lexically_normal();
  if (!std::filesystem::exists(script, error)) {
    throw std::runtime_error("no " + script.string() + ": cmake --install puts it there");
  }
  return script;
}

}  // namespace wnpu::bench
