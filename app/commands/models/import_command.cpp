#include "app/commands/models/import_command.h"

#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/commands/models/model_folder.h"
#include "app/engine/model_path.h"
#include "app/options/exit_code.h"
#include "app/options/option_values.h"
#include "models/files/huggingface_files.h"
#include "models/files/open_model.h"
#include "models/onnx/import.h"

namespace wnpu::app {
namespace {

struct Import {
  std::string decoder;
  std::string folder;
  bool overwrites = false;
};

void add_import_options(CLI::App& app, Import& order, std::vector<std::string>& files) {
  app.add_option("encoder", files, "ONNX file of a Whisper encoder");
  app.add_option("--decoder", order.decoder,
                 "Model that decoder, vocabulary and number of heads are taken from")
      ->type_name(kModelType);
  app.add_option("-o,--output-dir", order.folder, "HuggingFace folder to make, for --model")
      ->type_name("DIR");
  app.add_flag("--overwrite", order.overwrites, "Replace a folder that this command has made");
}

int import_model(const Import& order, const std::vector<std::string>& names) {
  const FolderKind kind = {"models import", "model.safetensors"};
  if (names.size() != 1) throw UsageError("models import: expected one file");
  if (order.decoder.empty()) throw UsageError("models import: --decoder is required");
  if (order.folder.empty()) throw UsageError("models import: --output-dir is required");
  require_free(order.folder, order.overwrites, kind);
  const auto decoder = models::open_model(find_model(order.decoder), model_folder());
  const auto model = models::import_onnx_encoder(names[0], *decoder);
  write_model_folder(order.folder, models::huggingface_files(*model), order.overwrites, kind);
  return static_cast<int>(ExitCode::ok);
}

}  // namespace

Subcommand import_action() {
  const auto order = std::make_shared<Import>();
  const auto names = std::make_shared<std::vector<std::string>>();
  return {"import", "Make a model of an ONNX encoder and the decoder of another model",
          [order, names](CLI::App& app) { add_import_options(app, *order, *names); },
          [order](const std::vector<std::string>& files) { return import_model(*order, files); }};
}

}  // namespace wnpu::app
