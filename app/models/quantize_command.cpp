#include "app/models/quantize_command.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/batch/write_all.h"
#include "app/cli/exit_code.h"
#include "app/cli/option_values.h"
#include "app/engine/model_path.h"
#include "app/models/quantize_report.h"
#include "app/written/written_folder.h"
#include "audio/mel/mel_filters.h"
#include "models/files/open_model.h"
#include "models/files/tensor_layout.h"
#include "models/quantize/quantized_files.h"

namespace wnpu::app {
namespace {

using models::DType;

constexpr std::array kTypes{DType::i8_rows, DType::bf16, DType::q4_0, DType::q4_1,
                            DType::q5_0,    DType::q5_1, DType::q8_0};
constexpr const char* kReportName = "quantize.json";

struct QuantizeOrder {
  std::string precision;
  std::optional<double> max_error;
  std::string folder;
  bool is_json = false;
  bool overwrites = false;
};

std::vector<std::string_view> type_names() {
  std::vector<std::string_view> names;
  for (const DType type : kTypes) names.push_back(models::dtype_name(type));
  return names;
}

void add_quantize_options(CLI::App& app, QuantizeOrder& order, std::vector<std::string>& models) {
  app.add_option("model", models, "Name in the cache folder, or path");
  order.precision = type_names().front();
  add_name(
      app, "--precision", type_names(), order.precision,
      "Type that matrices are stored in: int8 and bf16 in a CTranslate2 folder, q4_0 to q8_0 in "
      "a file of whisper.cpp's");
  add_number_or_none(app, "--max-error", order.max_error, {{0, 1}},
                     "Layers with a larger relative error keep their values (CTranslate2 only)");
  app.add_option("-o,--output-dir", order.folder, "Folder to make, for --model")->type_name("DIR");
  app.add_flag("--json", order.is_json, "The report as JSON (app/models/quantize.schema.json)");
  app.add_flag("--overwrite", order.overwrites, "Replace a folder that this command has made");
}

// [n_mels, 201], as whisper.cpp's files have them.
std::vector<float> filter_matrix(std::size_t n_mels) {
  std::vector<float> matrix(n_mels * audio::kBins);
  std::size_t row = 0;
  for (const audio::MelFilter& filter : audio::mel_filters(n_mels)) {
    const std::size_t first = row * audio::kBins + filter.first_bin;
    std::ranges::copy(filter.weights, matrix.begin() + static_cast<std::ptrdiff_t>(first));
    ++row;
  }
  return matrix;
}

int quantize(const QuantizeOrder& order, const std::vector<std::string>& names) {
  const FolderKind kind = {"quantize", kReportName};
  if (names.size() != 1) throw UsageError("quantize: expected one model");
  if (order.folder.empty()) throw UsageError("quantize: --output-dir is required");
  const std::vector<std::string_view> types = type_names();
  const auto at = std::ranges::find(types, order.precision) - types.begin();
  const DType type = kTypes.at(static_cast<std::size_t>(at));
  const bool is_ggml = models::block_layout(type).elements > 1;
  if (is_ggml && order.max_error) {
    throw UsageError(
        "quantize: --max-error cannot be with q types: whisper.cpp reads files whose matrices all "
        "have one type");
  }
  require_free(order.folder, order.overwrites, kind);
  const auto file = models::open_model(find_model(names[0]), model_folder());
  QuantizeReport report{.model = file->path(),
                        .format = is_ggml ? "ggml" : "ctranslate2",
                        .precision = type,
                        .max_error = order.max_error,
                        .layers = models::quantize_layers(*file, {type, order.max_error})};
  std::vector<models::StreamedFile> files =
      is_ggml ? models::ggml_files(*file, type, filter_matrix(file->dims().n_mels))
              : models::ctranslate2_files(*file, report.layers);
  sort_worst_first(report.layers);
  const std::string json = quantize_json(report);
  files.push_back({kReportName, [&](const models::Sink& sink) { sink(json); }});
  write_folder(order.folder, files, order.overwrites, kind);
  write_all(STDOUT_FILENO, order.is_json ? json : quantize_text(report), "stdout");
  return static_cast<int>(ExitCode::ok);
}

}  // namespace

Subcommand quantize_command() {
  const auto order = std::make_shared<QuantizeOrder>();
  const auto names = std::make_shared<std::vector<std::string>>();
  return {"quantize", "Write a model with its matrices in fewer bits, and what that costs them",
          [order, names](CLI::App& app) { add_quantize_options(app, *order, *names); },
          [order](const std::vector<std::string>& models) { return quantize(*order, models); }};
}

}  // namespace wnpu::app
