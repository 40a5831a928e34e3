// `whisper-npu bench`: options -> one mode -> tables or JSON on stdout. The program finds it
// through app/subcommand.h.
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/exit_code.h"
#include "app/option_values.h"
#include "app/output_file.h"
#include "app/signals.h"
#include "app/subcommand.h"
#include "app/work_options.h"
#include "bench/bench_options.h"
#include "bench/machine.h"
#include "bench/modes.h"
#include "bench/results.h"
#include "bench/transcribe_runs.h"

namespace wnpu::bench {
namespace {

struct Command {
  BenchOptions options;
  std::vector<const Mode*> chosen;  // more than one is an error
};

void add_mode_options(CLI::App& app, Command& command) {
  for (const Mode& mode : modes()) {
    CLI::Option* option = nullptr;
    if (mode.value_name.empty()) {
      option = app.add_flag_callback(
          mode.option, [&command, &mode] { command.chosen.push_back(&mode); }, mode.help);
    } else {
      const auto choose = [&command, &mode](const std::string& value) {
        command.chosen.push_back(&mode);
        command.options.mode_value = value;
      };
      option = app.add_option_function<std::string>(mode.option, choose, mode.help)
                   ->type_name(mode.value_name);
    }
    option->group("What is measured (one of these)");
  }
}

void add_options(CLI::App& app, Command& command) {
  BenchOptions& options = command.options;
  app.add_option("files", options.work.inputs,
                 "Audio files; the quickstart's sample speech if not given");
  add_mode_options(app, command);
  const std::string group = "How it is measured and printed";
  app.add_option("--runs", options.runs, "Measurements, after one that warms up")
      ->check(CLI::Range(1, 1000).description(""))
      ->type_name("N")
      ->capture_default_str()
      ->group(group);
  app.add_option("--references", options.references,
                 "Word and character error rates against this list of files and what is said in "
                 "them; without files, all of its files")
      ->type_name("MANIFEST.tsv")
      ->group(group);
  app.add_flag("--json", options.json, "JSON on stdout instead of tables (bench.schema.json)")
      ->group(group);
  app::add_work_options(app, options.work);
}

int run(Command& command) {
  if (command.chosen.size() > 1) {
    throw app::UsageError(command.chosen[0]->option + " and " + command.chosen[1]->option +
                          " exclude each other");
  }
  app::settle_work_options(command.options.work);
  const Mode& mode = command.chosen.empty() ? modes().front() : *command.chosen.front();
  try {
    const Results results = mode.run(command.options);
    const Machine machine = describe_machine();
    app::write_all(
        STDOUT_FILENO,
        command.options.json ? results_json(results, machine) : results_text(results, machine),
        "stdout");
    return results.exit_code;
  } catch (const Stopped& stopped) {
    return stopped.exit_code;
  }
}

}  // namespace
}  // namespace wnpu::bench

namespace wnpu::app {

std::vector<Subcommand> subcommands() {
  const auto command = std::make_shared<bench::Command>();
  return {{"bench", "How fast transcribe is here, and compared with what",
           [command](CLI::App& app) { bench::add_options(app, *command); },
           [command] { return bench::run(*command); }}};
}

}  // namespace wnpu::app
