// --sweep: how cost grows, as tables.
#include <algorithm>
#include <iostream>
#include <numeric>

#include "app/batch/progress.h"
#include "app/engine/available_cpus.h"
#include "bench/core/modes.h"
#include "bench/core/text_table.h"
#include "bench/report/sweep.h"
#include "models/kernels/vectors/instruction_set.h"

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

// A line a part: how many of its settings, and how long they would have taken.
std::string lines_of(const std::vector<SkippedWork>& skipped) {
  std::string text;
  for (auto first = skipped.begin(); first != skipped.end();) {
    const auto last = std::find_if(
        first, skipped.end(), [&](const SkippedWork& work) { return work.part != first->part; });
    const double seconds =
        std::accumulate(first, last, 0.0,
                        [](double sum, const SkippedWork& work) { return sum + work.estimate_s; });
    text += "\n  " + first->part + ": " + first->setting;
    if (last - first > 1) text += " and " + std::to_string(last - first - 1) + " other settings";
    text += ": about " + human_seconds(seconds);
    first = last;
  }
  return text;
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
  results.instruction_set = kernels::instruction_set_name();
  results.options = {{"npu_preset", sweep_options.preset},
                     {"budget_s", fixed(sweep_options.budget_s, 0)}};
  results.text = table_of(sweep.rows);
  for (const SweepRow& row : sweep.rows) results.figures.push_back(figure_of(row));
  results.notes = {
      "encoder rows are the transformer layers; random weights stand where no file is in the cache "
      "folder: they take the same time",
      "int8: on the CPU weights alone; on the simulated array, modelled, both sides of the "
      "products qkv and up"};
  if (!sweep.skipped.empty()) {
    results.notes.push_back("left out, since --budget is " + fixed(sweep_options.budget_s, 0) +
                            " s:" + lines_of(sweep.skipped));
  }
  return results;
}

}  // namespace wnpu::bench
