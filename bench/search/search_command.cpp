#include "bench/search/search_command.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/commands/npu/calls.h"
#include "app/engine/available_cpus.h"
#include "app/engine/model_path.h"
#include "app/options/exit_code.h"
#include "app/options/option_values.h"
#include "app/system/progress.h"
#include "app/system/write_all.h"
#include "bench/search/states_loss.h"
#include "bench/search/variant_model.h"
#include "bench/search/variant_quality.h"
#include "encoder/variant/variant_backend.h"
#include "models/base/dims.h"
#include "npu/search/report.h"

namespace wnpu::bench {
namespace {

namespace fs = std::filesystem;
using app::UsageError;

constexpr double kMostLimit = 1e9;
constexpr double kMostVariants = 200000;  // that are gone through whole
constexpr std::array<std::string_view, 3> kPredictorNames{"analytical", "look-up", "learned"};

struct Search {
  std::string target{app::kTargetNames[0]};
  std::string size = "base";
  bool has_size = false;
  std::string preset{npu::kDefaultPreset};
  std::optional<double> latency_ms;
  std::optional<double> memory_mb;
  std::string method{npu::kSearchMethodNames[0]};
  std::size_t evaluations = 1000;
  std::optional<double> seconds;
  std::uint64_t seed = 1;
  std::string predictor{kPredictorNames.back()};
  std::vector<std::size_t> poolings{1, 2};
  std::size_t least_layers = 1;
  std::size_t members = 12;
  unsigned threads = 0;
  bool measures = false;
  std::string model;
  std::string model_dir;
  std::string objective{npu::kSearchObjectiveNames[0]};
  std::string window;  // a recording
  std::string references;
  std::size_t recordings = 0;
  bool json = false;
};

const npu::Predictor& predictor_named(const std::string& name) {
  return *std::ranges::find(npu::predictors(), name, &npu::Predictor::name);
}

bool by_states(const Search& search) {
  return search.objective == npu::kSearchObjectiveNames.back();
}

void require_whole(const Search& search) {
  if (search.target != npu::npu1().name) {
    throw UsageError("--target " + search.target +
                     ": its layer is refused by check and has no times: expected npu1");
  }
  for (const auto& limit : {search.latency_ms, search.memory_mb}) {
    if (limit && !(*limit > 0)) {
      throw UsageError("npu search: expected limits above 0, found " + std::to_string(*limit));
    }
  }
  if (search.measures && (search.model.empty() || search.references.empty())) {
    throw UsageError("--measure-quality: expected --model and --references beside it");
  }
  if (by_states(search) && (search.model.empty() || search.window.empty())) {
    throw UsageError("--objective states: expected --model and --window beside it");
  }
  if (!search.measures && !(search.references.empty() && search.recordings == 0)) {
    throw UsageError("--references and --recordings do nothing without --measure-quality");
  }
  if (!by_states(search) && !search.window.empty()) {
    throw UsageError("--window does nothing without --objective states");
  }
  if (search.has_size && !search.model.empty()) {
    throw UsageError("--size and --model exclude each other: the model has a size");
  }
}

std::size_t n_threads(const Search& search) {
  return search.threads > 0 ? search.threads : app::available_cpus();
}

npu::WholeEncoder searched_encoder(const std::string& size) {
  const npu::LayerShape shape = app::layer_shape(size);
  return {shape.frames, shape.width, shape.heads, shape.hidden,
          models::dims_of_size(size).value().n_audio_layer};
}

npu::VariantSearchOptions search_options(const Search& search, const npu::WholeEncoder& whole) {
  npu::VariantSearchOptions options;
  options.space = npu::usual_space(whole);
  options.space.poolings = search.poolings;
  options.space.least_layers = search.least_layers;
  options.space.tells_layers_apart = by_states(search);
  const std::string fault = npu::space_fault(options.space);
  if (!fault.empty()) throw UsageError("npu search: " + fault);
  options.preset = npu::find_preset(search.preset);
  options.most_ms = search.latency_ms;
  options.most_mb = search.memory_mb;
  options.method = npu::find_method(search.method).value();
  options.budget.evaluations = search.evaluations;
  if (search.seconds) options.budget.time = std::chrono::duration<double>(*search.seconds);
  if (options.method == npu::SearchMethod::exhaustive) {
    options.budget = {};
    if (options.space.size() > kMostVariants) {
      throw UsageError("--method exhaustive: expected at most " +
                       std::to_string(static_cast<std::size_t>(kMostVariants)) +
                       " variants, found " + std::to_string(options.space.size()));
    }
  }
  options.seed = search.seed;
  options.predictor = &predictor_named(search.predictor);
  options.most_members = search.members;
  options.threads = n_threads(search);
  return options;
}

std::shared_ptr<const app::LoadedModel> model_of(const Search& search) {
  if (search.model.empty()) return nullptr;
  const fs::path folder =
      search.model_dir.empty() ? app::model_folder() : fs::path(search.model_dir);
  return load_variant_model(app::find_model(search.model, folder),
                            static_cast<unsigned>(n_threads(search)));
}

void measure_members(const VariantQuality& quality,
                     const std::shared_ptr<const app::LoadedModel>& model,
                     npu::SearchReport& report) {
  app::Messages messages(std::cerr, app::Verbosity::normal, false);
  report.n_recordings = quality.n_recordings();
  messages.note("measuring the whole encoder");
  report.whole_quality = quality.measure(model, report.result.whole.variant);
  for (std::size_t i = 0; i < report.result.front.size(); ++i) {
    messages.note("measuring " + std::to_string(i + 1) + " of " +
                  std::to_string(report.result.front.size()));
    report.quality.push_back(quality.measure(model, report.result.front[i].variant));
  }
}

// In what of the model is not what the array would do.
constexpr const char* kHowMeasured =
    "measured on the CPU: bf16 as fp32, int8 as the array rounds weights and LayerNorm's rows; "
    "heads and hidden columns of the least magnitude are gone, positions are pooled by their mean "
    "and taken as often behind the layers";

std::string limit_text(const char* option, const std::optional<double>& limit) {
  return limit ? std::string(" ") + option + " " + CLI::detail::to_string(*limit) : std::string();
}

void warn_of_nothing(const Search& search, const npu::SearchReport& report) {
  std::string text = "npu search: nothing that was looked at meets";
  text += limit_text("--latency-ms", search.latency_ms);
  text += limit_text("--memory-mb", search.memory_mb);
  if (report.result.nearest) {
    const npu::Member& nearest = *report.result.nearest;
    std::array<char, 96> found{};
    std::snprintf(found.data(), found.size(), ": the nearest takes %.3f ms and %.2f MB",
                  nearest.exact.ms, nearest.exact.memory_mb());
    text += found.data();
  }
  app::Messages(std::cerr, app::Verbosity::normal, false).note(text);
}

// Model and references are looked for before the search, which may take long.
int run_search(const Search& search) {
  require_whole(search);
  std::unique_ptr<VariantQuality> quality;
  if (search.measures) {
    quality = std::make_unique<VariantQuality>(search.references, search.recordings,
                                               static_cast<unsigned>(n_threads(search)));
  }
  const std::shared_ptr<const app::LoadedModel> model = model_of(search);
  npu::SearchReport report;
  report.encoder = model ? search.model : search.size;
  report.options = search_options(
      search, model ? encoder::whole_encoder(model->dims()) : searched_encoder(search.size));
  std::optional<StatesLoss> states;
  if (by_states(search)) {
    states.emplace(model, search.window, static_cast<unsigned>(n_threads(search)));
    report.objective = npu::SearchObjective::states;
    report.options.losses = [&states](std::span<const npu::EncoderVariant> variants) {
      return (*states)(variants);
    };
  }
  const auto start = std::chrono::steady_clock::now();
  report.result = npu::search_variants(report.options);
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (quality && !report.result.front.empty()) measure_members(*quality, model, report);
  if (quality || states) report.notes.emplace_back(kHowMeasured);
  app::print_report(search.json ? npu::search_json(report) : npu::search_text(report));
  if (!report.result.front.empty()) return static_cast<int>(app::ExitCode::ok);
  warn_of_nothing(search, report);
  return static_cast<int>(app::ExitCode::some_failed);
}

void add_limits(CLI::App& app, Search& search) {
  const app::NumberRange above_zero{{0, kMostLimit}};
  app::add_number_or_none(app, "--latency-ms", search.latency_ms, above_zero,
                          "The most that a window's layers may take, launches included");
  app::add_number_or_none(app, "--memory-mb", search.memory_mb, above_zero,
                          "The most that a device may hold for them: weights, states, scratch, "
                          "control programs; 1e6 bytes");
  const auto take_poolings = [&search](const std::string& list) {
    search.poolings.clear();
    for (const std::string& text : CLI::detail::split(list, ',')) {
      search.poolings.push_back(app::parse_integer("--pooling", text, {{1, 1500}}));
    }
  };
  app.add_option_function<std::string>(
         "--pooling", take_poolings,
         "Neighbouring positions that may become one before the layers; 1 comes first")
      ->type_name("N,N,...")
      ->default_str("1,2");
  app::add_integer(app, "--least-layers", search.least_layers, {{1, 64}},
                   "Layers that have to stay");
}

void add_method(CLI::App& app, Search& search) {
  app::add_name(app, "--method", npu::kSearchMethodNames, search.method,
                "How variants are chosen that are looked at");
  app::add_integer(app, "--evaluations", search.evaluations, {{1, 1000000}},
                   "Variants that are looked at, at most");
  app::add_number_or_none(app, "--time-limit", search.seconds, {{0, 86400}},
                          "Seconds; where they end the search its result depends on the machine");
  app::add_integer(app, "--seed", search.seed, {{0, 1U << 30U}}, "Of chance");
  app::add_name(app, "--predictor", kPredictorNames, search.predictor,
                "Of a layer's time while it is searched; what is found is simulated");
  app::add_integer(app, "--members", search.members, {{1, 1000}},
                   "Of what nothing beats, the most that are simulated and shown");
  app::add_integer(app, "--threads", search.threads, {{0, 1024}},
                   "0: as many as this process may use; they change no result");
}

void add_quality(CLI::App& app, Search& search) {
  app::add_name(app, "--objective", npu::kSearchObjectiveNames, search.objective,
                "Beside time and memory: multiply-adds kept, or the encoder's states as they were "
                "in a window that is heard with a model");
  app.add_option("--window", search.window, "Recording whose first 30 s that is")
      ->type_name("AUDIO");
  app.add_flag("--measure-quality", search.measures,
               "Word error rates of what is found, cut out of a model's weights; no training");
  app.add_option("--model", search.model, "A model's folder or name; its encoder is searched")
      ->type_name("MODEL");
  app.add_option("--model-dir", search.model_dir, "Folder in which its name is looked for")
      ->type_name("DIR");
  app.add_option("--references", search.references, "Recordings, and what is said in them")
      ->type_name("MANIFEST.tsv");
  app::add_integer(app, "--recordings", search.recordings, {{0, 1000000}},
                   "The first of them; 0: all in English");
}

void add_search_options(CLI::App& app, Search& search) {
  app::add_name(app, "--target", app::kTargetNames, search.target, "The array");
  app::add_name(app, "--size", models::size_names(), search.size,
                "Whose encoder; --model takes its place");
  app.get_option("--size")->each([&search](const std::string&) { search.has_size = true; });
  app::add_preset(app, search.preset, "Whose times are modelled: CLOCK/KERNELS");
  add_limits(app, search);
  add_method(app, search);
  add_quality(app, search);
  app.add_flag("--json", search.json,
               "JSON on stdout instead of text, by "
               "search.schema.json (in share/whisper-npu/schemas)");
}

}  // namespace

app::Subcommand search_action() {
  const auto search = std::make_shared<Search>();
  return {"search", "Look for smaller encoders under limits of time and memory, by the time model",
          [search](CLI::App& app) { add_search_options(app, *search); },
          [search](const std::vector<std::string>&) { return run_search(*search); }};
}

}  // namespace wnpu::bench
