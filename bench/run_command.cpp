#include "bench/run_command.h"

#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include "bench/child_process.h"

namespace wnpu::bench {

int run_command(std::vector<std::string> command) {
  const int status = wait_for(start_process(std::move(command), {{STDERR_FILENO, STDOUT_FILENO}}));
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace wnpu::bench
