// A process that cannot start as many threads as it likes.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <doctest/doctest.h>

namespace wnpu::tests {

// Whether threads can be made scarce here, which takes a limit of addresses that holds. Says SKIP
// where not.
inline bool threads_can_be_scarce() {
  if (std::getenv("WNPU_TEST_EMULATOR") == nullptr) return true;
  MESSAGE("SKIP: under an emulator no limit of addresses holds, by which threads are made scarce");
  return false;
}

// Whether f() is true in a child process with room for so many threads besides its own.
template <typename F>
bool holds_with_room_for(std::size_t n_threads, const F& f) {
  constexpr std::size_t kStack = std::size_t{1} << 30U;  // larger than what an ended thread left
  const pid_t child = ::fork();
  if (child == 0) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, kStack);
    pthread_setattr_default_np(&attributes);
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const std::size_t limit =
        pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) + n_threads * kStack + kStack / 2;
    const rlimit room{limit, limit};
    ::setrlimit(RLIMIT_AS, &room);
    ::_exit(f() ? 0 : 1);
  }
  int status = 0;
  return ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace wnpu::tests
