#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/commands/models/hub_actions.h"
#include "app/engine/available_cpus.h"
#include "app/engine/model_path.h"
#include "app/model_store/packed_file.h"
#include "app/options/exit_code.h"
#include "app/options/option_values.h"
#include "app/output/written_file.h"
#include "app/system/output_file.h"
#include "app/system/write_all.h"
#include "models/weights/precision.h"

namespace wnpu::app {
namespace {

constexpr std::string_view kAuto = "auto";
constexpr std::string_view kAll = "all";
constexpr std::array<std::string_view, 5> kPackedFor{kAuto, "fp32", "int16", "int8", kAll};

struct Convert {
  std::vector<std::string> names;  // for --help; the command line brings them itself
  std::string file;
  std::string precision{kAuto};
  bool overwrites = false;
};

void add_convert_options(CLI::App& app, Convert& order) {
  app.add_option("model", order.names, "Name in the cache folder, or path");
  app.add_option("-o,--output", order.file,
                 "File to make, for --model; NAME.wnpu is found by name; - is stdout")
      ->type_name("FILE");
  add_name(app, "--precision", kPackedFor, order.precision,
           "What its weights are packed for, beside the weights as they are; auto: what "
           "transcribe takes on this CPU; another that is asked for later is added then");
  app.add_flag("--overwrite", order.overwrites, "Replace a file that is there");
}

std::vector<models::Precision> asked_precisions(const std::string& name) {
  if (name == kAuto) return {models::auto_precision()};
  if (const auto one = models::parse_precision(name)) return {*one};
  return {models::Precision::fp32, models::Precision::int16, models::Precision::int8};
}

int convert(const Convert& order, const std::vector<std::string>& names) {
  if (names.size() != 1) throw UsageError("models convert: expected one model");
  if (order.file.empty()) throw UsageError("models convert: --output is required");
  const std::string file = order.file == "-" ? "/dev/stdout" : order.file;
  const std::filesystem::path model = find_model(names[0]);
  require_free_file(file, order.overwrites, {}, Replaceable::packed_models);
  write_packed_file(model, file, asked_precisions(order.precision), available_cpus(),
                    !order.overwrites);
  if (descriptor_of(file) == STDOUT_FILENO) return static_cast<int>(ExitCode::ok);
  std::error_code error;
  print_report(file + ": " + std::to_string(std::filesystem::file_size(file, error)) + " bytes\n");
  return static_cast<int>(ExitCode::ok);
}

}  // namespace

Subcommand convert_action() {
  return subcommand("convert", "Make one file of a model that needs no packing when it is loaded",
                    add_convert_options, convert);
}

}  // namespace wnpu::app
