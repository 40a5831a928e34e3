#include "app/commands/quantize/quantize_command.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/commands/quantize/evaluation.h"
#include "app/commands/quantize/quantize_report.h"
#include "app/engine/available_cpus.h"
#include "app/engine/model_path.h"
#include "app/options/exit_code.h"
#include "app/options/option_values.h"
#include "app/output/written_file.h"
#include "app/output/written_folder.h"
#include "audio/mel/mel_filters.h"
#include "models/files/open_model.h"
#include "models/files/tensor_layout.h"
#include "models/quantize/calibrate.h"
#include "models/quantize/quantized_files.h"

namespace wnpu::app {
namespace {

using models::DType;

constexpr std::array kTypes{DType::i8_rows, DType::i16_rows, DType::bf16, DType::q4_0,
                            DType::q4_1,    DType::q5_0,     DType::q5_1, DType::q8_0};
constexpr const char* kReportName = "quantize.json";
constexpr const char* kPageName = "quantize.html";

struct QuantizeOrder {
  std::vector<std::string> names;  // for --help; the command line brings them itself
  std::string precision;
  std::optional<double> max_error;
  std::vector<std::string> recordings;  // to calibrate with
  std::vector<std::string> evaluated;
  std::string folder;
  bool is_json = false;
  bool overwrites = false;
};

std::vector<std::string_view> type_names() {
  std::vector<std::string_view> names;
  names.reserve(kTypes.size());
  for (const DType type : kTypes) names.push_back(models::dtype_name(type));
  return names;
}

void add_quantize_options(CLI::App& app, QuantizeOrder& order) {
  app.add_option("model", order.names, "Name in the cache folder, or path");
  order.precision = type_names().front();
  add_name(
      app, "--precision", type_names(), order.precision,
      "Type that matrices are stored in: int8, int16 and bf16 in a CTranslate2 folder, q4_0 to "
      "q8_0 in a file of whisper.cpp's");
  add_number_or_none(app, "--max-error", order.max_error, {{0, 1}},
                     "Layers with a larger relative error keep their values (CTranslate2 only)");
  app.add_option("--calibrate", order.recordings,
                 "Recording of speech that the layers are fitted to; repeatable, and more may be "
                 "named behind the model")
      ->allow_extra_args(false)
      ->type_name("FILE");
  app.add_option("--evaluate", order.evaluated,
                 "Recording that both models are tried on, with what is said in a .txt beside it "
                 "where that is known; repeatable")
      ->allow_extra_args(false)
      ->type_name("FILE");
  app.add_option("-o,--output-dir", order.folder, "Folder to make, for --model")->type_name("DIR");
  app.add_flag("--json", order.is_json,
               "The report as JSON, by quantize.schema.json (in share/whisper-npu/schemas)");
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

DType type_of(const QuantizeOrder& order) {
  const std::vector<std::string_view> types = type_names();
  const auto at = std::ranges::find(types, order.precision) - types.begin();
  return kTypes.at(static_cast<std::size_t>(at));
}

bool is_ggml(DType type) { return models::block_layout(type).elements > 1; }

void check_quantize_order(const QuantizeOrder& order, DType type, std::size_t n_models) {
  if (n_models != 1) throw UsageError("quantize: expected one model");
  if (order.folder.empty()) throw UsageError("quantize: --output-dir is required");
  if (is_ggml(type) && order.max_error) {
    throw UsageError(
        "quantize: --max-error cannot be with q types: whisper.cpp reads files whose matrices all "
        "have one type");
  }
  if (type == DType::bf16 && !order.recordings.empty()) {
    throw UsageError(
        "quantize: --calibrate cannot be with --precision bf16: there is nothing to fit, each "
        "value has an exponent of its own");
  }
}

void require_exact(const models::ModelFile& file) {
  for (const models::ProductLayer& layer : models::product_layers(file.dims())) {
    for (const std::string& part : layer.parts) {
      const DType type = file.tensors().at(part + ".weight").dtype;
      if (models::exact_type(type) == type) continue;
      throw UsageError(
          "quantize: --calibrate: expected a model whose matrices are f32, f16 or "
          "bf16, found " +
          std::string(models::dtype_name(type)) + " in " + file.path() +
          ", which is quantised already");
    }
  }
}

// The model that is written, and what the report says of it. `source` must outlive it.
struct Quantized {
  std::shared_ptr<const models::ModelFile> source;
  models::Calibration calibration;
};

// Without recordings each weight is the nearest, and the writers round: no model is made in memory,
// unless it is to be tried.
Quantized quantized(const QuantizeOrder& order, DType type, const std::filesystem::path& path,
                    unsigned threads) {
  Quantized result{.source = models::open_model(path, model_folder()), .calibration = {}};
  const models::QuantizeOptions options{type, order.max_error};
  if (order.recordings.empty() && order.evaluated.empty()) {
    result.calibration.layers = models::quantize_layers(*result.source, options);
    return result;
  }
  models::ProductInputs inputs;
  if (!order.recordings.empty()) {
    require_exact(*result.source);
    inputs = inputs_on(result.source, order.recordings, threads);
  }
  models::ThreadPool pool(threads);
  result.calibration = models::calibrate(pool, *result.source, inputs, options);
  return result;
}

QuantizeReport report_of(const QuantizeOrder& order, DType type, const Quantized& made,
                         unsigned threads) {
  QuantizeReport report{.model = made.source->path(),
                        .format = is_ggml(type) ? "ggml" : "ctranslate2",
                        .precision = type,
                        .max_error = order.max_error,
                        .layers = made.calibration.layers,
                        .recordings = order.recordings,
                        .before = made.calibration.before};
  sort_worst_first(report.layers);
  if (order.evaluated.empty()) return report;
  const models::Precision precision =
      type == DType::i8_rows ? models::Precision::int8 : models::Precision::fp32;
  report.evaluation =
      evaluate(made.source, made.calibration.model, precision, order.evaluated, threads);
  return report;
}

int quantize(const QuantizeOrder& asked, const std::vector<std::string>& named) {
  QuantizeOrder order = asked;
  std::vector<std::string> names = named;
  const FolderKind kind = {"quantize", kReportName};
  if (!order.recordings.empty() && names.size() > 1) {
    order.recordings.insert(order.recordings.end(), names.begin() + 1, names.end());
    names.resize(1);
  }
  const DType type = type_of(order);
  check_quantize_order(order, type, names.size());
  require_free(order.folder, order.overwrites, kind);
  const unsigned threads = available_cpus();
  const Quantized made = quantized(order, type, find_model(names[0]), threads);
  const QuantizeReport report = report_of(order, type, made, threads);
  const models::ModelFile& model = made.calibration.model ? *made.calibration.model : *made.source;
  std::vector<models::StreamedFile> files =
      is_ggml(type) ? models::ggml_files(model, type, filter_matrix(model.dims().n_mels))
                    : models::ctranslate2_files(model, made.calibration.layers);
  const std::string json_text = quantize_json(report);
  const std::string page = quantize_html(report);
  files.push_back({kReportName, [&](const models::Sink& sink) { sink(json_text); }});
  files.push_back({kPageName, [&](const models::Sink& sink) { sink(page); }});
  write_and_report([&] { write_folder(order.folder, files, order.overwrites, kind); },
                   order.is_json ? json_text : quantize_text(report));
  return static_cast<int>(ExitCode::ok);
}

}  // namespace

Subcommand quantize_command() {
  return subcommand("quantize",
                    "Write a model with its matrices in fewer bits, and what that costs them",
                    add_quantize_options, quantize);
}

}  // namespace wnpu::app
