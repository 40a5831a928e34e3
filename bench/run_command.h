#pragma once

#include <string>
#include <vector>

namespace wnpu::bench {

// Runs a program to its end, its output going to standard error. Its exit code, or 128 + the
// signal that ended it. Throws std::runtime_error where it cannot be started.
int run_command(std::vector<std::string> command);

}  // namespace wnpu::bench
