#include "app/jobs/process.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <iostream>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

#include "app/engine/error.h"
#include "app/formats/log_event.h"
#include "app/options/exit_code.h"
#include "app/system/progress.h"
#include "app/system/signals.h"
#include "app/system/terminal.h"
#include "app/system/unfinished_file.h"

namespace wnpu::app {
namespace {

// Takes no memory.
void tell_plainly(std::string_view message) {
  if (log_format() == LogFormat::text) {
    std::cerr << "whisper-npu: " << message << '\n';
    return;
  }
  std::array<char, 512> line{};
  const std::size_t size = plain_log_error(line, LogTime::clock::now(), message);
  std::cerr.write(line.data(), static_cast<std::streamsize>(size));
}

// The text takes memory, which is perhaps what there is none of.
void tell(const std::exception& error, std::string_view file) {
  try {
    const std::string text = text_of(error);
    Messages(std::cerr, Verbosity::normal, false)
        .error(text, begins_with_file(text, file) ? file : "");
  } catch (const std::exception&) {
    tell_plainly("not enough memory");
  }
}

}  // namespace

void fill_standard_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest free number is this one. Opened the other way round.
    ::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

Environment environment_of_process(const Options& options) {
  return {.out = STDOUT_FILENO,
          .err = &std::cerr,
          .shows_progress =
              wants_progress(options.verbosity, ::isatty(STDERR_FILENO) != 0, std::getenv("TERM")),
          .is_terminal = ::isatty(STDOUT_FILENO) != 0,
          .shows_colors = wants_colors(options.color, ::isatty(STDOUT_FILENO) != 0,
                                       color_variables_of_process()),
          .columns = [] { return terminal_columns(STDERR_FILENO); },
          .text_columns =
              [] { return ::isatty(STDOUT_FILENO) != 0 ? terminal_columns(STDOUT_FILENO) : 0; },
          .stop_signal = received_signal};
}

int exit_code_after(const std::function<int()>& work, std::string_view file) {
  try {
    return work();
  } catch (const BrokenPipe& error) {
    return exit_code_of(error);
  } catch (const std::exception& error) {
    const bool is_stopped = error_code(error) == ErrorCode::stopped;
    if (is_stopped) return static_cast<int>(ExitCode::signal) + received_signal();
    tell(error, file);
    return exit_code_of(error);
  }
}

pid_t fork_worker(const std::function<int()>& work, const std::function<void(pid_t)>& in_parent) {
  const pid_t supervisor = ::getpid();
  pid_t worker = 0;
  {
    const HeldSignals held;
    worker = ::fork();
    if (worker < 0) throw std::system_error(errno, std::generic_category(), "fork");
    if (worker == 0) {
      forget_unfinished_file();  // it is the supervisor's
      take_signals_from_supervisor();
    }
    if (worker != 0) in_parent(worker);
  }
  if (worker != 0) return worker;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != supervisor) ::_exit(static_cast<int>(ExitCode::internal));  // it died first
  ::_exit(work());  // what was there before the fork is the supervisor's to clean up
}

std::string cause_of_death(int status) {
  if (WIFSIGNALED(status)) {
    const int number = WTERMSIG(status);
    return "was killed by signal " + std::to_string(number) + " (" + ::strsignal(number) + ")";
  }
  return "ended with exit code " + std::to_string(WEXITSTATUS(status));
}

void end_uncaught() noexcept {
  remove_unfinished();
  int code = static_cast<int>(ExitCode::internal);
  try {
    if (std::current_exception()) std::rethrow_exception(std::current_exception());
  } catch (const std::exception& error) {
    tell(error, "");
    code = exit_code_of(error);
  } catch (...) {
    tell_plainly("ended by an unknown exception");
  }
  ::_exit(code);
}

}  // namespace wnpu::app
