#include "app/system/mapped_file_fault.h"

#include <array>
#include <atomic>
#include <csignal>
#include <cstring>
#include <string_view>
#include <unistd.h>

#include "app/formats/log_event.h"
#include "app/options/exit_code.h"
#include "app/system/progress.h"
#include "app/system/unfinished_file.h"
#include "models/base/mapped_file.h"

namespace wnpu::app {
namespace {

std::atomic_flag is_reported;

// Only what a signal handler may call.
void say(std::string_view text) {
  // A stderr that takes nothing leaves the exit code to say it.
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
}

constexpr std::string_view kCutShort =
    "expected the file to stay whole while it is in use, found a part that cannot be read any "
    "more: cut short, or the disk fails";

void tell_of_cut_file(std::string_view path) {
  if (log_format() == LogFormat::json) {
    std::array<char, 4096> line{};
    const auto now = LogTime::clock::now();
    return say({line.data(), plain_log_error(line, now, kCutShort, path)});
  }
  say("whisper-npu: ");
  say(path);
  say(": ");
  say(kCutShort);
  say("\n");
}

extern "C" void on_bus_error(int number, siginfo_t* info, void* /*context*/) {
  const char* const path = models::mapped_file_at(info->si_addr);
  if (path == nullptr) {
    // The access that failed runs again when this returns, and then ends the process.
    std::signal(number, SIG_DFL);
    return;
  }
  // Only one of several faulting threads reports, and it ends the others.
  if (is_reported.test_and_set()) {
    while (true) ::pause();
  }
  tell_of_cut_file({path, std::strlen(path)});
  remove_unfinished();
  ::_exit(static_cast<int>(ExitCode::model));
}

}  // namespace

void install_mapped_file_handler() {
  struct sigaction wanted {};
  wanted.sa_sigaction = on_bus_error;
  wanted.sa_flags = SA_SIGINFO;
  ::sigaction(SIGBUS, &wanted, nullptr);
}

}  // namespace wnpu::app
