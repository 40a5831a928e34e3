// --sweep: how cost grows, as tables.
#include <iostream>

#include "app/available_cpus.h"
#include "app/progress.h"
#include "bench/calibration_kernels.h"
#include "bench/modes.h"
#include "bench/sweep.h"
#include "bench/text_table.h"

namespace wnpu::bench {
namespace {

std::string table_of(const std::vector<SweepRow>& rows) {
  TextTable table({"work", "model", "weights", "on", "threads", "batch", "precision", "audio",
                   "time", "speed", "kind", ""});
  for (const SweepRow& row : rows) {
    const bool is_step = row.work.starts_with("decoder");
    table.add({row.work, row.model, row.weights, row.where,
               row.threads > 0 ? std::to_string(row.threads) : "", std::to_string(row.batch),
               row.precision, is_step ? "" : fixed(row.audio_s, 0) + " s",
               human_seconds(row.seconds), is_step ? "" : fixed(row.audio_s / row.seconds, 1) + "x",
               name_of(row.origin), row.note});
  }
  return table.text();
}

Figure figure_of(const SweepRow& row) {
  Figure figure;
  figure.name = row.work;
  figure.unit = "s";
  figure.origin = row.origin;
  figure.value = row.seconds;
  figure.labels = {{"model", row.model},
                   {"weights", row.weights},
                   {"on", row.where},
                   {"precision", row.precision},
                   {"batch", std::to_string(row.batch)},
                   {"audio_s", fixed(row.audio_s, 0)}};
  if (row.threads > 0) figure.labels.emplace_back("threads", std::to_string(row.threads));
  figure.note = row.note;
  return figure;
}

}  // namespace

Results measure_sweep(const BenchOptions& options) {
  app::Messages messages(std::cerr, options.work.verbosity, false);
  SweepOptions sweep_options;
  sweep_options.sizes = options.sweep.sizes;
  sweep_options.threads = options.sweep.thread_counts;
  sweep_options.batches = options.sweep.batches;
  sweep_options.budget_s = options.sweep.budget_s;
  sweep_options.usable_threads =
      options.work.threads > 0 ? options.work.threads : app::available_cpus();
  sweep_options.preset = options.work.device.preset;
  const Sweep sweep =
      run_sweep(sweep_options, [&messages](const std::string& step) { messages.note(step); });

  Results results;
  results.mode = "sweep";
  results.instruction_set = kernels::target();
  results.options = {{"npu_preset", sweep_options.preset},
                     {"budget_s", fixed(sweep_options.budget_s, 0)}};
  results.text = table_of(sweep.rows);
  for (const SweepRow& row : sweep.rows) results.figures.push_back(figure_of(row));
  results.notes = {
      "encoder rows are the transformer layers; random weights stand where no file is in the cache "
      "folder: they take the same time",
      "the CPU computes in fp32; bf16 and int8 are the simulated array's, modelled"};
  if (!sweep.skipped.empty()) {
    std::string text = "left out, since --budget is " + fixed(sweep_options.budget_s, 0) + " s:";
    for (const std::string& line : sweep.skipped) text += "\n  " + line;
    results.notes.push_back(std::move(text));
  }
  return results;
}

}  // namespace wnpu::bench
