// A command beside transcribe, for parse_command_line; app/commands/commands.h lists all.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11 names it so
class App;
}

namespace wnpu::app {

struct Subcommand {
  std::string name;  // "bench"
  std::string help;  // one line
  // Each option takes one value or none; files are declared for --help and the manual page, and are
  // refused where none are.
  std::function<void(CLI::App&)> add_options;
  // Does the work after parsing, on the files that were named; the process' exit code. Throws what
  // exit_code_of() knows.
  std::function<int(std::vector<std::string> files)> run;
  // Actions of the command, one of which is named: "emit" of `npu emit`. A command with actions has
  // neither options nor work of its own.
  std::vector<Subcommand> actions = {};
};

// A command whose options are kept in an Order: `add` declares them, `run` does the work.
template <typename Order>
Subcommand subcommand(const char* name, const char* help, void (*add)(CLI::App&, Order&),
                      int (*run)(const Order&, const std::vector<std::string>& files)) {
  const auto order = std::make_shared<Order>();
  return {name, help, [order, add](CLI::App& app) { add(app, *order); },
          [order, run](const std::vector<std::string>& files) { return run(*order, files); }};
}

}  // namespace wnpu::app
