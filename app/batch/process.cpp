#include "app/batch/process.h"

#include <array>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <unistd.h>

#include "app/batch/progress.h"
#include "app/batch/signals.h"
#include "app/batch/terminal.h"
#include "app/batch/unfinished_file.h"
#include "app/cli/exit_code.h"
#include "app/engine/error.h"
#include "app/formats/log_event.h"

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

Environment environment_of_process(const Options& options) {
  return {.out = STDOUT_FILENO,
          .err = &std::cerr,
          .shows_progress =
              wants_progress(options.verbosity, ::isatty(STDERR_FILENO) != 0, std::getenv("TERM")),
          .shows_colors = wants_colors(options.color, ::isatty(STDOUT_FILENO) != 0,
                                       color_variables_of_process()),
          .columns = [] { return terminal_columns(STDERR_FILENO); },
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

void end_uncaught() noexcept {
  remove_unfinished_file();
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
