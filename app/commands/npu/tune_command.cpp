#include "app/commands/npu/tune_command.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>

#include "app/commands/npu/calls.h"
#include "app/commands/npu/layer_options.h"
#include "app/options/exit_code.h"
#include "app/options/kernel_table.h"
#include "app/options/option_values.h"
#include "app/output/written_file.h"
#include "app/system/output_file.h"
#include "npu/plans/plan_file.h"
#include "npu/tune/report.h"

namespace wnpu::app {
namespace {

// As they are asked for; energy is refused.
constexpr std::array<std::string_view, 3> kObjectives{"time", "ddr", "energy"};
constexpr const char* kNoEnergy =
    "--objective energy: no published figure says what the array takes for a product, a byte or a "
    "cycle of waiting: figures are of whole packages, and those would rank plans as their time "
    "does";
constexpr double kMostSeconds = 86400;

struct Search {
  CallChoice choice;
  std::string preset{npu::kDefaultPreset};
  std::string kernel_table;
  std::string objective{kObjectives[0]};
  std::string budget = "60s";
  std::string output;
  std::string trace;
  bool overwrites = false;
  bool predicts = false;
  bool json = false;
  bool forgets = false;
};

// "90", "90s", "1.5m".
std::chrono::duration<double> duration_of(const std::string& text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [unit, error] = std::from_chars(text.data(), end, value);
  const std::string_view rest(unit, static_cast<std::size_t>(end - unit));
  if (rest == "m") value *= 60;
  const bool is_known = rest.empty() || rest == "s" || rest == "m";
  if (error != std::errc() || !is_known || !(value > 0 && value <= kMostSeconds)) {
    throw UsageError("--budget: expected seconds above 0, as 90, 90s or 1.5m, found " + text);
  }
  return std::chrono::duration<double>(value);
}

npu::TuneOptions tune_options(const Search& search, const npu::MeasuredTable* measured) {
  if (search.choice.target != npu::npu1().name) {
    throw UsageError("--target " + search.choice.target +
                     ": its layer is refused by check and has no times: expected npu1");
  }
  if (search.objective == kObjectives.back()) throw UsageError(kNoEnergy);
  npu::TuneOptions options;
  options.target = &npu::npu1();
  options.shape = layer_shape(search.choice.size);
  options.precision = npu::find_precision(search.choice.precision).value();
  options.preset = measured != nullptr ? measured->preset : npu::find_preset(search.preset);
  options.objective =
      search.objective == kObjectives.front() ? npu::Objective::time : npu::Objective::ddr;
  options.budget = duration_of(search.budget);
  return options;
}

void write_outputs(const Search& search, const npu::TuneReport& report) {
  const npu::TuneOptions& options = report.options;
  const npu::PlanResult& best = report.result.best;
  const npu::PlanFile file{options.target, options.precision, options.shape, best.plan};
  if (!search.output.empty()) {
    write_file(search.output,
               npu::plan_file_text(file, {options.preset.name, search.objective, best.ms,
                                          report.result.by_hand.ms, best.ddr_bytes}),
               !search.overwrites);
  }
  if (search.trace.empty()) return;
  write_file(search.trace,
             npu::trace_plan(npu::designs_of(file.layer(), file.plan.calls), options.preset),
             !search.overwrites);
}

int run_tune(const Search& search) {
  require_free_file(search.output, search.overwrites);
  require_free_file(search.trace, search.overwrites);
  const std::optional<npu::MeasuredTable> measured = read_measured_table(search.kernel_table);
  npu::TuneOptions options = tune_options(search, measured ? &*measured : nullptr);
  const npu::TuningSpace space =
      npu::whole_space(*options.target, options.shape, options.precision);
  npu::ResultCache cache =
      search.forgets ? npu::ResultCache() : npu::ResultCache(npu::default_cache_file());
  options.cache = &cache;
  const npu::TuneResult result = npu::tune(options, space);
  npu::TuneReport report =
      npu::explain(search.choice.size + ", " + search.choice.precision, options, result);
  report.cache = cache.problem();
  report.n_damaged = cache.n_damaged();
  if (search.predicts) npu::add_predictions(report);
  write_and_report([&] { write_outputs(search, report); },
                   search.json ? npu::report_json(report) : npu::report_text(report));
  return static_cast<int>(ExitCode::ok);
}

void add_tune_options(CLI::App& app, Search& search) {
  add_name(app, "--target", kTargetNames, search.choice.target, "The array");
  add_layer_options(app, search.choice.size, search.choice.precision);
  add_preset(app, search.preset, "Whose times are modelled: CLOCK/KERNELS");
  app.add_option("--kernel-table", search.kernel_table,
                 "What npu first-light measured on an NPU, in the place of the preset")
      ->type_name("FILE");
  add_name(app, "--objective", kObjectives, search.objective,
           "What is made small: the layer's time, or bytes to and from DDR; energy is refused, for "
           "no figure for it has a source");
  app.add_option("--budget", search.budget, "Time of the search: 90s, 2m")
      ->type_name("TIME")
      ->capture_default_str();
  app.add_option("-o,--output", search.output,
                 "File for the plan, which transcribe and bench take as --npu-plan-file and emit "
                 "as --plan-file")
      ->type_name("FILE");
  app.add_option("--trace", search.trace, "File for a trace of every tile, as Perfetto reads it")
      ->type_name("FILE");
  app.add_flag("--overwrite", search.overwrites, "Replace files that are there");
  app.add_flag("--predictors", search.predicts,
               "Beside the simulator's times those of the three predictors, and their errors");
  app.add_flag("--no-cache", search.forgets, "Take and keep no results of other searches");
  app.add_flag("--json", search.json, "JSON on stdout instead of text");
}

}  // namespace

Subcommand tune_action() {
  const auto search = std::make_shared<Search>();
  return {"tune", "Look for a better plan of a layer, by the time model",
          [search](CLI::App& app) { add_tune_options(app, *search); },
          [search](const std::vector<std::string>&) { return run_tune(*search); }};
}

}  // namespace wnpu::app
