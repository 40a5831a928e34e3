// Starting other programs.
#pragma once

#include <initializer_list>
#include <string>
#include <sys/types.h>
#include <vector>

namespace wnpu::bench {

// The child's descriptor `to` becomes what `from` is here.
struct Redirection {
  int from;
  int to;
};

// Starts command[0], looked for in PATH. Throws std::runtime_error where it cannot be started.
pid_t start_process(std::vector<std::string> command,
                    std::initializer_list<Redirection> redirections);
// Waits for its end; returns what waitpid says.
int wait_for(pid_t process);

}  // namespace wnpu::bench
