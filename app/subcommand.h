// A command of the program that lives above app, where app's code cannot see it (bench). The
// program is where they meet: main.cpp hands subcommands() to parse_command_line, and the linker
// finds its definition in the library above.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11 names it so
class App;
}

namespace wnpu::app {

struct Subcommand {
  std::string name;  // "bench"
  std::string help;  // one line
  std::function<void(CLI::App&)> add_options;
  // Does the work after parsing; the process' exit code. Throws what exit_code_of() knows.
  std::function<int()> run;
};

// Every command but transcribe. Declared here, defined by bench (bench/bench_command.cpp).
std::vector<Subcommand> subcommands();

}  // namespace wnpu::app
