#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/commands/npu/calls.h"
#include "app/commands/npu/computations.h"
#include "app/commands/npu/npu_command.h"
#include "app/engine/devices/device_names.h"
#include "app/options/exit_code.h"
#include "app/options/option_values.h"
#include "app/output/written_folder.h"
#include "app/system/write_all.h"
#include "npu/emit/emitted_files.h"
#include "npu/emit/linalg_files.h"

namespace wnpu::app {
namespace {

constexpr std::array<std::string_view, 2> kDialects{"aie", "linalg"};

struct Emission {
  std::string dialect{kDialects[0]};
  CallChoice choice;
  std::string folder;
  bool overwrites = false;
};

void add_emit_options(CLI::App& app, Emission& emission) {
  CallChoice& choice = emission.choice;
  add_name(app, "--dialect", kDialects, emission.dialect,
           "aie: for the array; linalg: what a layer computes, for any compiler");
  add_name(app, "--target", kTargetNames, choice.target, "The array");
  add_name(
      app, "--plan", kEmittedPlans, choice.plan,
      "A layer as one call, as one an operation, a product alone, all of first-light, or parts "
      "of a layer for --device-split heads");
  add_integer(app, "--parts", choice.parts, {{1, kMaxDevices}}, "Devices of --plan heads");
  add_layer_options(app, choice.size, choice.precision);
  app.add_option(
         "--plan-file", choice.plan_file,
         "A layer plan for the size (npu/lab/tune.py), in the place of --plan and --precision")
      ->type_name("FILE");
  app.add_option("--compute", choice.computations,
                 "A tensor operation that `npu compute` is to do on hardware; may be given again")
      ->type_name(computation_forms());
  add_size(app, "--memory-limit", choice.memory_limit,
           "Of the device, as `npu compute` will have it for --compute: it decides the calls");
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

models::StreamedFile streamed(std::string path, std::string text, bool is_executable) {
  return {std::move(path), [text = std::move(text)](const models::Sink& sink) { sink(text); },
          is_executable};
}

// The layer alone: nothing of the array is in it.
int emit_portable(const Emission& emission) {
  const CallChoice none;
  const CallChoice& choice = emission.choice;
  if (choice.target != none.target || choice.plan != none.plan ||
      choice.precision != none.precision) {
    throw UsageError("npu emit: --target, --plan and --precision are of --dialect aie");
  }
  if (!choice.computations.empty()) throw UsageError("npu emit: --compute is of --dialect aie");
  if (choice.parts != none.parts) throw UsageError("npu emit: --parts is of --plan heads");
  const FolderKind kind = {"npu emit --dialect " + emission.dialect, "layer.mlir"};
  require_free(emission.folder, emission.overwrites, kind);
  std::vector<models::StreamedFile> files;
  for (const npu::EmittedFile& file : npu::linalg_files(layer_shape(choice.size))) {
    files.push_back(streamed(file.path, file.contents, file.is_executable));
  }
  write_folder(emission.folder, files, emission.overwrites, kind);
  print_report(emission.folder + ": " + emission.dialect + ", " + choice.size + ", fp32\n");
  return static_cast<int>(ExitCode::ok);
}

int emit(const Emission& emission, const std::vector<std::string>& /*files*/) {
  if (emission.folder.empty()) throw UsageError("npu emit: --output-dir is required");
  if (emission.dialect != kDialects[0]) return emit_portable(emission);
  const FolderKind kind = {"npu emit", "build.sh"};
  require_free(emission.folder, emission.overwrites, kind);
  const std::vector<npu::EmittedCall> calls = emitted_calls(emission.choice);
  std::vector<models::StreamedFile> files;
  for (npu::EmittedFile& file : npu::emitted_files(calls)) {
    files.push_back(streamed(file.path, std::move(file.contents), file.is_executable));
  }
  write_folder(emission.folder, files, emission.overwrites, kind);
  print_report(report(emission, calls));
  return static_cast<int>(ExitCode::ok);
}

}  // namespace

Subcommand emit_action() {
  return subcommand(
      "emit",
      "Write the array's configuration, the calls and the cores' program for mlir-aie and Peano",
      add_emit_options, emit);
}

}  // namespace wnpu::app
