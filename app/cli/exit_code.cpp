#include "app/cli/exit_code.h"

#include <csignal>
#include <new>

#include "app/engine/error.h"

namespace wnpu::app {
namespace {

template <typename Error>
bool is(const std::exception& error) {
  return dynamic_cast<const Error*>(&error) != nullptr;
}

}  // namespace

std::string text_of(const std::exception& error) {
  return is<std::bad_alloc>(error) ? "not enough memory" : error.what();
}

int exit_code_of(const std::exception& error) {
  if (is<BrokenPipe>(error)) return static_cast<int>(ExitCode::signal) + SIGPIPE;
  if (is<UsageError>(error)) return static_cast<int>(ExitCode::usage);
  if (is<OutputError>(error)) return static_cast<int>(ExitCode::output);
  return static_cast<int>(error_code(error));
}

}  // namespace wnpu::app
