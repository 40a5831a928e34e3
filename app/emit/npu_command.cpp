#include "app/emit/npu_command.h"

#include <memory>
#include <optional>
#include <string>
#include <unistd.h>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/batch/write_all.h"
#include "app/cli/exit_code.h"
#include "app/cli/option_values.h"
#include "app/emit/calls.h"
#include "app/emit/written_folder.h"
#include "models/base/released_sizes.h"
#include "npu/design/layer_abi.h"
#include "npu/emit/emitted_files.h"

namespace wnpu::app {
namespace {

struct Command {
  CallChoice choice;
  std::string folder;
  bool overwrite = false;
  std::vector<std::string> actions;  // for --help
};

Choice choice_of(std::span<const std::string_view> names, std::string_view by_default) {
  return {{names.begin(), names.end()}, by_default};
}

void add_options(CLI::App& app, Command& command) {
  CallChoice& choice = command.choice;
  const auto take = [](std::string& target) {
    return [&target](const std::string& name) { target = name; };
  };
  app.add_option("action", command.actions,
                 "emit: write the array's configuration, the calls and the cores' program for "
                 "mlir-aie and Peano");
  add_choice(app, "--target", choice_of(kTargetNames, choice.target), take(choice.target),
             "The array");
  add_choice(app, "--size", choice_of(models::size_names(), choice.size), take(choice.size),
             "Whose encoder layer");
  add_choice(app, "--precision", choice_of(npu::kPrecisionNames, choice.precision),
             take(choice.precision), "Of the layer's products");
  add_choice(app, "--plan", choice_of(kEmittedPlans, choice.plan), take(choice.plan),
             "A layer as one call, as one an operation, or a product alone");
  app.add_option("-o,--output-dir", command.folder, "Folder to make")->type_name("DIR");
  app.add_flag("--overwrite", command.overwrite, "Replace a folder that this command has made");
}

std::string report(const Command& command, const std::vector<npu::EmittedCall>& calls) {
  const npu::Design& first = calls.front().design;
  std::string text = command.folder + ": " + choice_text(command.choice) + ", overlay " +
                     npu::hash_text(npu::overlay_hash(first)) + "\n";
  for (const npu::EmittedCall& call : calls) {
    text += "  " + call.name + ": design " + npu::hash_text(npu::design_hash(call.design)) + ", " +
            std::to_string(call.program.operations.size()) + " operations\n";
  }
  return text;
}

int run(const Command& command, const std::vector<std::string>& actions) {
  if (actions.size() != 1 || actions.front() != "emit") {
    throw UsageError("npu: expected one action, emit (see --help)");
  }
  if (command.folder.empty()) throw UsageError("npu emit: --output-dir is required");
  require_free(command.folder, command.overwrite);
  const std::vector<npu::EmittedCall> calls = emitted_calls(command.choice);
  write_folder(command.folder, npu::emitted_files(calls), command.overwrite);
  write_all(STDOUT_FILENO, report(command, calls), "stdout");
  return static_cast<int>(ExitCode::ok);
}

}  // namespace

Subcommand npu_command() {
  const auto command = std::make_shared<Command>();
  return {"npu", "Files for the array's own tools",
          [command](CLI::App& app) { add_options(app, *command); },
          [command](const std::vector<std::string>& actions) { return run(*command, actions); }};
}

}  // namespace wnpu::app
