#include "app/commands/models/models_command.h"

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/commands/models/hub_actions.h"
#include "app/options/exit_code.h"

namespace wnpu::app {
namespace {

// A message instead of the command that was withdrawn, for all options that it had.
Subcommand import_action() {
  return {"import", "Withdrawn: share/whisper-npu/import_onnx.py takes an ONNX encoder",
          [](CLI::App& app) {
            const std::string help = "Of import_onnx.py";
            app.add_option("encoder", help);
            app.add_option("--decoder", help);
            app.add_option("-o,--output-dir", help);
            app.add_flag("--overwrite", help);
          },
          [](const std::vector<std::string>&) -> int {
            throw UsageError(
                "models import: expected share/whisper-npu/import_onnx.py (models/onnx in the "
                "source): import_onnx.py ENCODER.onnx --decoder FOLDER -o DIR, where FOLDER is of "
                "models export --onnx");
          }};
}

}  // namespace

Subcommand models_command() {
  return {"models",
          "Models by name, and model files themselves",
          {},
          {},
          {list_action(), pull_action(), verify_action(), remove_action(), path_action(),
           info_action(), convert_action(), export_action(), import_action()}};
}

}  // namespace wnpu::app
