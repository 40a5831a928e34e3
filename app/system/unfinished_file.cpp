#include "app/system/unfinished_file.h"

#include <array>
#include <atomic>
#include <cstring>
#include <unistd.h>
#include <utility>

namespace wnpu::app {
namespace {

// Path for signal handlers, in fixed memory, valid while the flag is set.
std::array<char, 4096> unfinished_path;
std::atomic<bool> is_unfinished{false};
// Not touched while the flag is set.
std::vector<std::string> unfinished_paths;
std::atomic<bool> is_folder_unfinished{false};
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

void note_unfinished_folder(std::vector<std::string> paths) {
  unfinished_paths = std::move(paths);
  is_folder_unfinished = true;
}

void forget_unfinished_folder() noexcept { is_folder_unfinished = false; }

void remove_unfinished() noexcept {
  remove_unfinished_file();
  if (!is_folder_unfinished.exchange(false)) return;
  for (const std::string& path : unfinished_paths) {
    if (::unlink(path.c_str()) != 0) ::rmdir(path.c_str());
  }
}

}  // namespace wnpu::app
