// Cost of another session on a loaded model: session_cost MODEL RECORDING PRECISION MOST_MB ROUNDS.
//
// Memory: what the process has at its most while one session works, and while two do; the
// difference may be MOST_MB. Speed, in as many rounds: files an hour of two sessions on two threads
// against one on one, each session with one CPU thread; and CPU seconds a file, which say what the
// sessions take from each other where the machine has other work as well.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <ctime>
#include <fstream>
#include <iostream>
#include <limits>
#include <malloc.h>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "app/engine/whisper_npu.hpp"

namespace {

using wnpu::Session;

// Linux Documentation/filesystems/proc.rst, /proc/PID/status: of the process' own memory, not of
// files that are mapped.
double megabytes(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    double kilobytes = 0;
    if (word == name && status >> kilobytes) return kilobytes / 1024;
  }
  throw std::runtime_error("/proc/self/status: expected " + name);
}

// f() beside a thread that looks how much memory there is: the most.
template <typename F>
double most_memory(const F& f) {
  malloc_trim(0);
  std::jthread work(f);
  std::atomic<bool> is_done{false};
  double most = 0;
  std::jthread watch([&] {
    while (!is_done) {
      most = std::max(most, megabytes("RssAnon:"));
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  });
  work.join();
  is_done = true;
  watch.join();
  return most;
}

void transcribe(Session& session, const std::string& recording) {
  if (session.transcribe({.path = recording}).segments.empty()) {
    throw std::runtime_error(recording + ": expected speech");
  }
}

void both(Session& first, Session& second, const std::string& recording) {
  const std::jthread beside([&] { transcribe(second, recording); });
  transcribe(first, recording);
}

// The least of what was measured.
struct Times {
  double wall_s = std::numeric_limits<double>::infinity();
  double cpu_s = wall_s;

  template <typename F>
  void measure(const F& f) {
    const auto start = std::chrono::steady_clock::now();
    const std::clock_t cpu_start = std::clock();
    f();
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
    wall_s = std::min(wall_s, wall.count());
    cpu_s = std::min(cpu_s, static_cast<double>(std::clock() - cpu_start) / CLOCKS_PER_SEC);
  }
};

int run(const std::vector<std::string>& arguments) {
  const std::string& recording = arguments.at(2);
  const std::string& precision = arguments.at(3);
  const double most_mb = std::stod(arguments.at(4));
  const int rounds = std::stoi(arguments.at(5));
  const wnpu::Model model(arguments.at(1),
                          {.device = {.requested = "cpu", .cpu_precision = precision}});
  Session first(model, 1);
  transcribe(first, recording);
  const double one = most_memory([&] { transcribe(first, recording); });
  const double before = megabytes("RssAnon:");
  Session second(model, 1);
  transcribe(second, recording);
  malloc_trim(0);
  const double held = megabytes("RssAnon:") - before;
  const double two = most_memory([&] { both(first, second, recording); });
  std::cout << precision << ", memory, MB: one session at work " << one << ", two " << two
            << ", the second " << two - one << "; at rest it holds " << held << '\n';
  Times alone;
  Times together;
  for (int i = 0; i < rounds; ++i) {
    alone.measure([&] { transcribe(first, recording); });
    together.measure([&] { both(first, second, recording); });
  }
  if (rounds > 0) {
    std::cout << "files an hour: one session " << 3600 / alone.wall_s << ", two "
              << 7200 / together.wall_s << ", " << 2 * alone.wall_s / together.wall_s
              << " times as many; CPU seconds a file " << alone.cpu_s << " and "
              << together.cpu_s / 2 << '\n';
  }
  if (two - one <= most_mb) return 0;
  std::cout << "FAILED: expected at most " << most_mb << " MB for the second session\n";
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run({argv, argv + argc});
  } catch (const std::exception& error) {
    std::cerr << "session_cost: " << error.what() << '\n';
    return 1;
  }
}
