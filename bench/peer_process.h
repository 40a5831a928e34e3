// A peer that runs in a process of its own (bench/peers.py) and does one file after the other on
// demand, so that several can be interleaved: A B C A B C.
#pragma once

#include <cstdint>
#include <string>
#include <sys/types.h>
#include <vector>

namespace wnpu::bench {

// One run of a peer on one file.
struct PeerRun {
  std::string peer;
  std::string version;
  std::string precision;
  std::string text;
  double seconds = 0;       // audio file to text
  double load_seconds = 0;  // the model, once a process
  std::uint64_t peak_rss_bytes = 0;
};

class PeerProcess {
 public:
  // command: the program and its arguments, e.g. {python, "bench/peers.py", "faster-whisper",
  // "--model", folder}. Throws std::runtime_error where it cannot be started.
  explicit PeerProcess(std::vector<std::string> command);
  PeerProcess(const PeerProcess&) = delete;
  PeerProcess& operator=(const PeerProcess&) = delete;
  ~PeerProcess();  // no more files: waits for its end

  // Waits for the result. Throws std::runtime_error with the peer's own words where it failed or
  // ended.
  PeerRun transcribe(const std::string& file);
  // User and system time of the process so far.
  double cpu_seconds() const;

 private:
  std::string read_line();

  std::vector<std::string> command_;
  pid_t process_ = -1;
  int socket_ = -1;  // the process's standard input and output
  std::string received_;
};

}  // namespace wnpu::bench
