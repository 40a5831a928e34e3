// --plans: every way to run an encoder's layers.
#include <algorithm>
#include <iostream>
#include <iterator>
#include <optional>
#include <stdexcept>

#include "app/engine/available_cpus.h"
#include "app/options/exit_code.h"
#include "app/options/kernels/kernel_table.h"
#include "app/system/progress.h"
#include "bench/core/modes.h"
#include "bench/core/results.h"
#include "bench/core/text_table.h"
#include "bench/encoder/modelled_interval.h"
#include "bench/encoder/plan_rows.h"
#include "bench/input/model_sizes.h"

namespace wnpu::bench {
namespace {

// Layers of a model without a file that are measured; those of base are all there.
constexpr std::size_t kMostLayers = 6;
// Effort for the CPU's part of a modelled time: three samples do.
constexpr TimingEffort kPartEffort{3, 2e-3};

// The preset that was asked for, what was measured, then the other clocks with the default kernels.
std::vector<npu::HardwareModel> presets_from(const std::string& first,
                                             const npu::MeasuredTable* measured) {
  std::vector<npu::HardwareModel> presets = {npu::find_preset(first)};
  if (measured != nullptr) presets.push_back(measured->preset);
  for (const std::string_view clock : npu::clock_preset_names()) {
    npu::HardwareModel preset = npu::find_preset(clock);
    if (preset.name != presets.front().name) presets.push_back(std::move(preset));
  }
  return presets;
}

// The plan that --npu-plan-file names, if any.
std::optional<npu::PlanFile> plan_asked_for(const BenchOptions& options, const models::Dims& dims) {
  const std::string& file = options.work.device.plan_file;
  if (file.empty()) return std::nullopt;
  try {
    npu::PlanFile plan = npu::read_plan_file(file);
    const npu::EncoderShape shape = encoder_shape(dims);
    npu::require_made_for(plan, *npu::find_preset(options.work.device.preset).target,
                          {dims.n_audio_ctx, shape.width, shape.heads, shape.hidden});
    return plan;
  } catch (const std::invalid_argument& error) {
    throw app::UsageError("--npu-plan-file: " + std::string(error.what()));
  }
}

void add_fused_rows(const models::Dims& dims, const npu::HardwareModel& preset,
                    const npu::PlanFile* tuned, std::vector<PlanRow>& rows) {
  if (tuned != nullptr && tuned->target == preset.target) {
    rows.push_back(tuned_row(dims, *tuned, preset));
  }
  rows.push_back(fused_row(dims, 1500, preset, npu::Precision::bf16));
  // npu/design/layer_abi.h: int8 tiles are twice as deep; every released width fits.
  if (dims.n_audio_state % (2 * npu::kHeadWidth) != 0) return;
  rows.push_back(fused_row(dims, 1500, preset, npu::Precision::int8));
}

// Fused at a whole window, with every table of kernel speeds and in both precisions.
std::vector<PlanRow> fused_rows(const models::Dims& dims, const npu::MeasuredTable* measured,
                                const npu::PlanFile* tuned) {
  std::vector<PlanRow> rows;
  if (measured != nullptr) add_fused_rows(dims, measured->preset, tuned, rows);
  for (const std::string_view clock : npu::clock_preset_names()) {
    for (const npu::KernelTable& table : npu::kernel_tables()) {
      add_fused_rows(dims, npu::find_preset(std::string(clock) + "/" + std::string(table.name)),
                     tuned, rows);
    }
  }
  return rows;
}

std::string launches_of(const PlanRow& row) {
  return row.launches ? std::to_string(*row.launches) : "";
}

std::string plans_table(const std::vector<PlanRow>& rows) {
  TextTable table(
      {"plan", "on", "precision", "launches", "time", "of it CPU", "kind", "RTF", "speed"});
  for (const PlanRow& row : rows) {
    const bool is_mixed = row.origin == Origin::kModelled && row.cpu_ms > 0;
    table.add({row.plan, row.where, row.precision, launches_of(row), human_seconds(1e-3 * row.ms),
               is_mixed ? human_seconds(1e-3 * row.cpu_ms) : "", row.kind(),
               fixed(1 / row.speed(), 4), fixed(row.speed(), 1) + "x"});
  }
  return table.text();
}

std::string predictions_table(const std::vector<Prediction>& predictions) {
  TextTable table({"frames", "predicted (modelled)", "published", "error", ""});
  for (const Prediction& p : predictions) {
    table.add({std::to_string(p.frames), human_seconds(1e-3 * p.predicted_ms),
               human_seconds(1e-3 * p.published_ms), percent(p.error()),
               p.is_consistent ? "" : "published time does not follow from its calls: not fitted"});
  }
  return table.text();
}

Figure figure_of(const PlanRow& row) {
  Figure figure;
  figure.name = "layers of a window";
  figure.unit = "s";
  figure.origin = row.origin;
  figure.value = 1e-3 * row.ms;
  figure.labels = {{"plan", row.plan},
                   {"on", row.where},
                   {"precision", row.precision},
                   {"frames", std::to_string(row.frames)}};
  if (row.launches) figure.labels.emplace_back("launches", launches_of(row));
  if (row.origin == Origin::kModelled && row.cpu_ms > 0) {
    figure.note = "of which " + human_seconds(1e-3 * row.cpu_ms) + " measured on this CPU";
  }
  if (row.origin == Origin::kPublished) figure.note = "AMD Phoenix, Whisper base, November 2025";
  return figure;
}

// Everything for one number of frames.
std::vector<PlanRow> rows_at(const EncoderUnderTest& model, std::size_t frames,
                             const BenchOptions& options, const npu::MeasuredTable* measured,
                             models::ThreadPool& pool) {
  std::vector<PlanRow> rows;
  const LeftToCpu left = time_left_to_cpu(model.dims, frames, pool, kPartEffort);
  for (const npu::HardwareModel& preset : presets_from(options.work.device.preset, measured)) {
    std::ranges::move(modelled_rows(model.dims, frames, preset, left), std::back_inserter(rows));
  }
  rows.push_back(cpu_row(model, frames, pool, {options.runs, 2e-3}));
  const npu::EncoderShape base = encoder_shape(*dims_of_size("base"));
  const npu::EncoderShape shape = encoder_shape(model.dims);
  if (shape.width != base.width || shape.layers != base.layers) return rows;
  rows.push_back(seed_row(frames));
  std::ranges::copy_if(published_rows(), std::back_inserter(rows),
                       [frames](const PlanRow& row) { return row.frames == frames; });
  return rows;
}

void add_notes(const EncoderUnderTest& model, double stem_s, Results& results) {
  results.notes = {
      "times are of the transformer layers alone; the convolutions before them and the LayerNorm "
      "after them run on the CPU in every plan: " +
          human_seconds(stem_s) + " a window (measured)",
      "modelled times come from the simulator's time model, and no NPU was there; the array's "
      "controller takes for its operations what others measured on a Phoenix (npu/README.md); "
      "hybrid leaves LayerNorm, attention and GELU to the CPU, per-op the products, measured here",
      "published: Whisper base on an AMD Phoenix, November 2025; seed-2025-11 predicts it from the "
      "time of one call and the number of calls"};
  if (model.weights == "random") results.notes.push_back("weights: random, in the model's shapes");
  if (!model.scaling().empty()) results.notes.push_back("CPU: " + model.scaling());
}

void add_note_of(const npu::MeasuredTable& table, Results& results) {
  results.options.emplace_back("kernel_table", table.preset.name);
  results.notes.push_back(
      table.is_simulated
          ? "simulated first light: that table is the simulator's own speeds, found again; no NPU "
            "was there"
          : table.preset.name +
                ": times of the model by kernels, controller, launch and DDR that first light has "
                "measured there; what it left open is published's, as each source says");
}

}  // namespace

Results measure_plans(const BenchOptions& options) {
  app::Messages messages(std::cerr, options.work.verbosity, false);
  const std::optional<npu::MeasuredTable> table = app::read_measured_table(options.kernel_table);
  const npu::MeasuredTable* const measured = table ? &*table : nullptr;
  const EncoderUnderTest model = encoder_asked_for(options, kMostLayers);
  if (!fits_array(model.dims)) {
    throw app::UsageError(model.name +
                          ": expected attention heads of 64, which the array is made "
                          "for, found " +
                          std::to_string(model.dims.n_audio_state / model.dims.n_audio_head));
  }
  const std::optional<npu::PlanFile> tuned = plan_asked_for(options, model.dims);
  models::ThreadPool pool(options.work.threads > 0 ? options.work.threads : app::available_cpus());
  Results results = results_of_mode("plans");
  results.options = {{"model", model.name},
                     {"weights", model.weights},
                     {"threads", std::to_string(pool.n_threads())},
                     {"npu_preset", options.work.device.preset}};
  const NoiseMeter noise;
  const double own_before = own_cpu_seconds();
  double spread = 1;
  for (const std::size_t frames : kPlanFrames) {
    if (frames > model.dims.n_audio_ctx) continue;
    messages.note(std::to_string(frames) + " frames");
    const std::vector<PlanRow> rows = rows_at(model, frames, options, measured, pool);
    results.text += std::to_string(frames) + " frames, " + fixed(rows.front().audio_s(), 1) +
                    " s of audio:\n" + plans_table(rows) + "\n";
    for (const PlanRow& row : rows) {
      results.figures.push_back(figure_of(row));
      results.figures.back().runs = row.runs;
      spread = std::max(spread, row.runs ? row.runs->spread() : 1);
    }
  }
  results.noise = judge_noise(spread, noise.noise(own_cpu_seconds() - own_before));

  const std::vector<PlanRow> fused = fused_rows(model.dims, measured, tuned ? &*tuned : nullptr);
  for (const PlanRow& row : fused) results.figures.push_back(figure_of(row));
  results.text += "fused, 1500 frames, by clock and kernel speeds:\n" + plans_table(fused) + "\n";
  const std::vector<ModelledLayer> layers = modelled_base_layers(measured);
  results.text += "what these times rest on:\n" + interval_text(layers) + "\n" +
                  controller_text(layers, measured) + "\n" + kernel_rates_text(measured) + "\n";
  results.text += "per-op of November 2025, Whisper base, by the model of its calls:\n" +
                  predictions_table(predictions_of_2025());
  add_notes(model, time_stem_and_norm(model, pool, kPartEffort), results);
  if (measured != nullptr) add_note_of(*measured, results);
  return results;
}

}  // namespace wnpu::bench
