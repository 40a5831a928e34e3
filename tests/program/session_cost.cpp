// What another session on a loaded model costs: session_cost MODEL RECORDING PRECISION MOST_MB
// ROUNDS.
//
// Memory: what the process has at its most while one session works, and while two do; the
// difference may be MOST_MB. Speed, in as many rounds: files an hour of two sessions on two threads
// against one on one, each session with one CPU thread.
#include <algorithm>
#include <atomic>
#include <chrono>
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

template <typename F>
double seconds(const F& f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

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
  double alone_s = std::numeric_limits<double>::infinity();
  double both_s = alone_s;
  for (int i = 0; i < rounds; ++i) {
    alone_s = std::min(alone_s, seconds([&] { transcribe(first, recording); }));
    both_s = std::min(both_s, seconds([&] { both(first, second, recording); }));
  }
  if (rounds > 0) {
    std::cout << "files an hour: one session " << 3600 / alone_s << ", two " << 7200 / both_s
              << ", " << 2 * alone_s / both_s << " times as many\n";
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
