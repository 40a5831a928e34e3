#include "app/batch/unfinished_file.h"

#include <array>
#include <atomic>
#include <cstring>
#include <unistd.h>

namespace wnpu::app {
namespace {

// What a signal handler may read: a path in fixed memory, valid while the flag is set.
std::array<char, 4096> unfinished_path;
std::atomic<bool> is_unfinished{false};
static_assert(std::atomic<bool>::is_always_lock_free,
              "a signal handler may only read such atomics");

}  // namespace

bool note_unfinished_file(const std::string& path) {
  if (path.size() >= unfinished_path.size()) return false;
  std::memcpy(unfinished_path.data(), path.c_str(), path.size() + 1);
  is_unfinished = true;
  return true;
}

void forget_unfinished_file() noexcept { is_unfinished = false; }

void remove_unfinished_file() noexcept {
  if (is_unfinished.exchange(false)) ::unlink(unfinished_path.data());
}

}  // namespace wnpu::app
