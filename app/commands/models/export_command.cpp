#include <array>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/commands/models/hub_actions.h"
#include "app/engine/model_path.h"
#include "app/options/exit_code.h"
#include "app/options/option_values.h"
#include "app/output/written_folder.h"
#include "app/system/write_all.h"
#include "models/files/huggingface_settings.h"
#include "models/files/open_model.h"
#include "models/onnx/export.h"

namespace wnpu::app {
namespace {

constexpr std::array<std::string_view, 2> kWeightTypes{"fp32", "fp16"};

struct Export {
  std::vector<std::string> names;  // for --help; the command line brings them itself
  std::string folder;
  bool is_onnx = false;
  std::string weights{kWeightTypes[0]};
  std::size_t batch = 0;
  bool is_external = false;
  bool overwrites = false;
};

void add_export_options(CLI::App& app, Export& order) {
  app.add_option("model", order.names, "Name in the cache folder, or path");
  app.add_flag("--onnx", order.is_onnx,
               "Encoder, decoder and decoder with a past, as HuggingFace's optimum names them");
  app.add_option("-o,--output-dir", order.folder, "Folder to make")->type_name("DIR");
  add_name(app, "--weights", kWeightTypes, order.weights,
           "Type that matrices are stored in; all is computed in fp32");
  add_integer(app, "--batch", order.batch, {{0, 1024}}, "Windows of every call; 0: any number");
  app.add_flag("--external-data", order.is_external,
               "Weights beside the graphs; without it only those of more than 2 GB");
  app.add_flag("--overwrite", order.overwrites, "Replace a folder that this command has made");
}

// A line for each file on stdout.
void print_files(const std::filesystem::path& folder, std::span<const models::StreamedFile> files) {
  std::string text;
  for (const models::StreamedFile& file : files) {
    const std::filesystem::path path = folder / file.name;
    std::error_code error;
    text +=
        path.string() + ": " + std::to_string(std::filesystem::file_size(path, error)) + " bytes\n";
  }
  print_report(text);
}

int export_model(const Export& order, const std::vector<std::string>& names) {
  const FolderKind kind = {"models export", "encoder_model.onnx"};
  if (names.size() != 1) throw UsageError("models export: expected one model");
  if (!order.is_onnx) throw UsageError("models export: --onnx is required");
  if (order.folder.empty()) throw UsageError("models export: --output-dir is required");
  require_free(order.folder, order.overwrites, kind);
  models::OnnxOptions options{.batch = order.batch, .is_fp16 = order.weights == kWeightTypes[1]};
  if (order.is_external) options.most_inside = 0;
  const auto file = models::open_model(find_model(names[0]), model_folder());
  std::vector<models::StreamedFile> files = models::onnx_files(*file, options);
  for (models::StreamedFile& settings : models::huggingface_settings(*file)) {
    files.push_back(std::move(settings));
  }
  write_folder(order.folder, files, order.overwrites, kind);
  print_files(order.folder, files);
  return static_cast<int>(ExitCode::ok);
}

}  // namespace

Subcommand export_action() {
  return subcommand("export", "Write a model in the format of another program", add_export_options,
                    export_model);
}

}  // namespace wnpu::app
