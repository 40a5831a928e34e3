#include "app/npu/emit_command.h"

#include <memory>
#include <unistd.h>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/batch/write_all.h"
#include "app/cli/exit_code.h"
#include "app/cli/option_values.h"
#include "app/npu/calls.h"
#include "app/npu/layer_options.h"
#include "app/written/written_folder.h"
#include "npu/emit/emitted_files.h"

namespace wnpu::app {
namespace {

struct Emission {
  CallChoice choice;
  std::string folder;
  bool overwrites = false;
};

void add_options(CLI::App& app, Emission& emission) {
  CallChoice& choice = emission.choice;
  add_name(app, "--target", kTargetNames, choice.target, "The array");
  add_name(app, "--plan", kEmittedPlans, choice.plan,
           "A layer as one call, as one an operation, a product alone, or all of first-light");
  add_layer_options(app, choice.size, choice.precision);
  app.add_option("--plan-file", choice.plan_file,
                 "A plan of `npu tune` for the size, in the place of --plan and --precision")
      ->type_name("FILE");
  app.add_option("-o,--output-dir", emission.folder, "Folder to make")->type_name("DIR");
  app.add_flag("--overwrite", emission.overwrites, "Replace a folder that this command has made");
}

std::string report(const Emission& emission, const std::vector<npu::EmittedCall>& calls) {
  const npu::Design& first = calls.front().design;
  std::string text = emission.folder + ": " + choice_text(emission.choice) + ", overlay " +
                     npu::hash_text(npu::overlay_hash(first)) + "\n";
  for (const npu::EmittedCall& call : calls) {
    text += "  " + call.name + ": design " + npu::hash_text(npu::design_hash(call.design)) + ", " +
            std::to_string(call.program.operations.size()) + " operations\n";
  }
  return text;
}

const FolderKind kFolder = {"npu emit", "build.sh"};

std::vector<models::StreamedFile> streamed(std::vector<npu::EmittedFile> files) {
  std::vector<models::StreamedFile> result;
  for (npu::EmittedFile& file : files) {
    const auto write = [text = std::move(file.contents)](const models::Sink& sink) { sink(text); };
    result.push_back({std::move(file.path), write, file.is_executable});
  }
  return result;
}

int emit(const Emission& emission) {
  if (emission.folder.empty()) throw UsageError("npu emit: --output-dir is required");
  require_free(emission.folder, emission.overwrites, kFolder);
  const std::vector<npu::EmittedCall> calls = emitted_calls(emission.choice);
  write_folder(emission.folder, streamed(npu::emitted_files(calls)), emission.overwrites, kFolder);
  write_all(STDOUT_FILENO, report(emission, calls), "stdout");
  return static_cast<int>(ExitCode::ok);
}

}  // namespace

Subcommand emit_action() {
  const auto emission = std::make_shared<Emission>();
  return {
      "emit",
      "Write the array's configuration, the calls and the cores' program for mlir-aie and Peano",
      [emission](CLI::App& app) { add_options(app, *emission); },
      [emission](const std::vector<std::string>&) { return emit(*emission); }};
}

}  // namespace wnpu::app
