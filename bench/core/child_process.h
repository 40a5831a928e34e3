// Other programs: run to their end, or asked line by line; and where those of the bench are.
#pragma once

#include <filesystem>
#include <string>
#include <sys/types.h>
#include <vector>

namespace wnpu::bench {

// Runs a program to its end, its output going to standard error. Its exit code, or 128 + the
// signal that ended it. Throws std::runtime_error where it cannot be started.
int run_command(std::vector<std::string> command);

// A program that answers each line of its standard input with a line, one after the other.
class AnsweringProcess {
 public:
  // command: the program and its arguments, e.g. {python, "bench/peers.py", "faster-whisper",
  // "--model", folder}. Throws std::runtime_error where it cannot be started.
  explicit AnsweringProcess(std::vector<std::string> command);
  AnsweringProcess(const AnsweringProcess&) = delete;
  AnsweringProcess& operator=(const AnsweringProcess&) = delete;
  ~AnsweringProcess();  // no more questions: waits for its end

  // Waits for the answer. Throws std::runtime_error where the process has ended.
  std::string ask(const std::string& line);
  // User and system time of the process so far.
  double cpu_seconds() const;
  const std::string& program() const { return command_[0]; }

 private:
  std::vector<std::string> command_;
  pid_t process_ = -1;
  int socket_ = -1;  // the process's standard input and output
  std::string received_;
};

// Environments and ggml files: $XDG_CACHE_HOME/whisper-npu/peers, or below ~/.cache.
std::filesystem::path peers_folder();
// The environment's python; whisper.cpp has one of its own where it was compiled for this machine
// (peers.sh --native).
std::string peers_python(const std::string& peer);
// A script of bench/, in share/whisper-npu beside the folder of this program. Throws
// std::runtime_error where it is not there.
std::filesystem::path bench_script(const std::string& name);

}  // namespace wnpu::bench
