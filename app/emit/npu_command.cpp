#include "app/emit/npu_command.h"

#include <functional>
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
#include "app/emit/first_light_command.h"
#include "app/emit/written_folder.h"
#include "models/base/released_sizes.h"
#include "npu/design/layer_abi.h"
#include "npu/emit/emitted_files.h"

namespace wnpu::app {
namespace {

struct Command {
  CallChoice choice;
  std::string folder;
  FirstLightChoice light;
  bool overwrite = false;
  std::vector<std::string> actions;  // for --help
  std::vector<std::string> given;    // options of one action alone
};

constexpr std::string_view kEmit = "emit";
constexpr std::string_view kFirstLight = "first-light";

Choice choice_of(std::span<const std::string_view> names, std::string_view by_default) {
  return {{names.begin(), names.end()}, by_default};
}

std::function<void(const std::string&)> taking(std::string& target) {
  return [&target](const std::string& name) { target = name; };
}

// Options that the other action would do nothing with: run() refuses them there.
void belong_to(CLI::App& app, std::string_view action, std::vector<std::string> names,
               Command& command) {
  for (const std::string& name : names) {
    app.get_option(name)
        ->group("Of " + std::string(action))
        ->each([&command, text = std::string(action) + ": " + name](const std::string&) {
          command.given.push_back(text);
        });
  }
}

void add_emit_options(CLI::App& app, Command& command) {
  CallChoice& choice = command.choice;
  add_choice(app, "--target", choice_of(kTargetNames, choice.target), taking(choice.target),
             "The array");
  add_choice(app, "--plan", choice_of(kEmittedPlans, choice.plan), taking(choice.plan),
             "A layer as one call, as one an operation, a product alone, or all of first-light");
  app.add_option("-o,--output-dir", command.folder, "Folder to make")->type_name("DIR");
  belong_to(app, kEmit, {"--target", "--plan", "--output-dir"}, command);
}

void add_first_light_options(CLI::App& app, Command& command) {
  FirstLightChoice& light = command.light;
  app.add_option("--device", light.device, "npu, npu:N for the Nth of several, or sim")
      ->type_name("DEVICE")
      ->capture_default_str();
  app.add_option("--xclbin", light.xclbin,
                 "What build.sh of `emit --plan first-light` made, its manifest beside it")
      ->type_name("PATH");
  app.add_option("--npu-preset", light.preset, "Whose times the simulator models")
      ->type_name("PRESET")
      ->capture_default_str();
  add_choice(app, "--until", choice_of(npu::kStepNames, light.until), taking(light.until),
             "The last step that is run");
  app.add_option("--clock-ghz", light.clock_ghz,
                 "The array's clock; else taken from the rate of a stream")
      ->check(CLI::Range(0.1, 10.0).description(""))
      ->type_name("GHZ");
  app.add_option("--runs", light.runs, "Times of each call, of which the median counts")
      ->check(CLI::Range(1, 10000).description(""))
      ->type_name("N")
      ->capture_default_str();
  add_integer(app, "--threads", light.threads, {{0, 1024}, 0},
              "Of the simulator; 0: as many as there are CPUs");
  app.add_option("--output", light.output, "File for the JSON, whole or not at all")
      ->type_name("FILE");
  belong_to(app, kFirstLight,
            {"--device", "--xclbin", "--npu-preset", "--until", "--clock-ghz", "--runs",
             "--threads", "--output"},
            command);
  app.add_flag("--keep-going", light.keeps_going, "After a difference, from the simulator's bits")
      ->group("Of first-light");
  app.add_flag("--json", light.json, "JSON on stdout instead of text")->group("Of first-light");
}

void add_options(CLI::App& app, Command& command) {
  CallChoice& choice = command.choice;
  app.add_option("action", command.actions,
                 "emit: write the array's configuration, the calls and the cores' program for "
                 "mlir-aie and Peano; first-light: run them, compare them with the simulator's "
                 "bits and time them");
  add_choice(app, "--size", choice_of(models::size_names(), choice.size), taking(choice.size),
             "Whose encoder layer");
  add_choice(app, "--precision", choice_of(npu::kPrecisionNames, choice.precision),
             taking(choice.precision), "Of the layer's products");
  app.add_flag("--overwrite", command.overwrite, "Replace what this command has made");
  add_emit_options(app, command);
  add_first_light_options(app, command);
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

int emit(const Command& command) {
  if (command.folder.empty()) throw UsageError("npu emit: --output-dir is required");
  require_free(command.folder, command.overwrite);
  const std::vector<npu::EmittedCall> calls = emitted_calls(command.choice);
  write_folder(command.folder, npu::emitted_files(calls), command.overwrite);
  write_all(STDOUT_FILENO, report(command, calls), "stdout");
  return static_cast<int>(ExitCode::ok);
}

// Throws UsageError where an option is another action's.
void require_own_options(const Command& command, std::string_view action) {
  for (const std::string& given : command.given) {
    if (given.starts_with(std::string(action) + ": ")) continue;
    throw UsageError("npu " + std::string(action) + ": an option of npu " + given);
  }
  if (action == kFirstLight) return;
  if (command.light.keeps_going || command.light.json) {
    throw UsageError("npu " + std::string(action) + ": an option of npu first-light: " +
                     (command.light.json ? "--json" : "--keep-going"));
  }
}

int run(const Command& command, const std::vector<std::string>& actions) {
  const bool is_known =
      actions.size() == 1 && (actions.front() == kEmit || actions.front() == kFirstLight);
  if (!is_known) throw UsageError("npu: expected one action, emit or first-light (see --help)");
  require_own_options(command, actions.front());
  if (actions.front() == kEmit) return emit(command);
  FirstLightChoice light = command.light;
  light.overwrites = command.overwrite;
  return first_light(light, command.choice.size, command.choice.precision);
}

}  // namespace

Subcommand npu_command() {
  const auto command = std::make_shared<Command>();
  return {"npu", "Files for the array's own tools, and its first runs",
          [command](CLI::App& app) { add_options(app, *command); },
          [command](const std::vector<std::string>& actions) { return run(*command, actions); }};
}

}  // namespace wnpu::app
