// --report and --trace: what the other modes find in one page, and one window in time.
#include <algorithm>
#include <iterator>
#include <string_view>

#include "app/engine/available_cpus.h"
#include "app/engine/devices/device_choice.h"
#include "app/engine/model_path.h"
#include "app/output/result_guard.h"
#include "app/system/output_file.h"
#include "app/system/progress.h"
#include "bench/core/modes.h"
#include "bench/core/results.h"
#include "bench/core/text_table.h"
#include "bench/input/window.h"
#include "bench/rtf/rtf.h"

namespace wnpu::bench {

// report.html, embedded by the build.
extern const std::string_view kReportPage;

namespace {

Window window_of(const BenchOptions& options) {
  const TranscribeOptions& transcribe = options.work.transcribe;
  WindowOptions window;
  window.model =
      app::find_model(options.work.model, options.work.model_dir.empty()
                                              ? app::model_folder()
                                              : std::filesystem::path(options.work.model_dir));
  window.audio = files_to_measure(options, References(options.references)).front();
  window.threads = options.work.threads > 0 ? options.work.threads : app::available_cpus();
  window.preset = options.work.device.preset;
  window.precision = app::DeviceSetup(options.work.device).npu().precision;
  window.cpu_precision = app::cpu_precision(options.work.device);
  window.decode.task = static_cast<decoder::Task>(transcribe.task);
  if (!transcribe.language.empty()) window.decode.language = transcribe.language;
  if (transcribe.beam_size > 1) window.decode.beam_size = transcribe.beam_size;
  if (transcribe.sample_len > 0) window.decode.sample_len = transcribe.sample_len;
  return measure_window(window);
}

// A row a span of the window, phases apart.
std::string window_table(const Window& window) {
  TextTable table({"lane", "work", "start", "time", "kind"});
  for (const TimelineSpan& span : window.stages) {
    if (span.lane == kPhasesLane) continue;
    table.add({span.lane, span.name, human_seconds(span.start_s),
               human_seconds(span.end_s - span.start_s), name_of(span.origin)});
  }
  return table.text() + "text: " + window.text + "\n";
}

void add_window_figures(const Window& window, Results& results) {
  for (const TimelineSpan& span : window.stages) {
    if (span.lane == kPhasesLane) continue;
    results.figures.push_back(figure_of_value("one window: " + span.name, "s",
                                              span.end_s - span.start_s, {{"lane", span.lane}}));
    results.figures.back().origin = span.origin;
  }
}

// The next mode's results below those of the ones before.
void append(const std::string& title, Results part, Results& all) {
  all.text += (all.text.empty() ? "" : "\n") + title + "\n\n" + part.text;
  if (part.noise) all.text += "noise: " + noise_line(*part.noise) + "\n";
  std::ranges::move(part.figures, std::back_inserter(all.figures));
  std::ranges::move(part.heard, std::back_inserter(all.heard));
  std::ranges::move(part.notes, std::back_inserter(all.notes));
  for (auto& [name, value] : part.options) all.options.emplace_back(part.mode + "." + name, value);
}

// report.html with the results in it. No text ends the script that holds them, or begins a comment.
std::string page_of(std::string results) {
  constexpr std::string_view kPlace = "@DATA@";
  for (std::size_t at = 0; (at = results.find('<', at)) != std::string::npos; at += 6) {
    results.replace(at, 1, "\\u003c");
  }
  std::string page(kReportPage);
  return page.replace(page.find(kPlace), kPlace.size(), results);
}

// Before minutes of work: a page or trace replaces what is there, but neither audio nor an input.
void require_replaceable(const BenchOptions& options) {
  app::ResultGuard(options.work.inputs).check(options.mode_value);
}

}  // namespace

Results write_report(const BenchOptions& options) {
  require_replaceable(options);
  Results results = measure_rtf(options);
  results.mode = "report";
  for (auto& [name, value] : results.options) name.insert(0, "rtf.");
  results.text.insert(0, "stages\n\n");
  append("plans", measure_plans(options), results);
  append("kernels", measure_kernels(options), results);
  const Window window = window_of(options);
  results.text += "\none window\n\n" + window_table(window);
  add_window_figures(window, results);
  app::write_file(options.mode_value, page_of(results_json(results, app::describe_machine())));
  results.notes.push_back("page: " + options.mode_value);
  return results;
}

Results write_trace(const BenchOptions& options) {
  require_replaceable(options);
  const Window window = window_of(options);
  app::write_file(options.mode_value, trace_json(window));
  Results results = results_of_mode("trace");
  results.options = {{"model", options.work.model}, {"npu_preset", window.preset}};
  results.text = window_table(window);
  add_window_figures(window, results);
  results.notes = {"trace of " + std::to_string(window.stages.size() + window.tiles.size()) +
                       " events: " + options.mode_value +
                       ", for ui.perfetto.dev or chrome://tracing",
                   "the layers ran on the CPU; the array's lanes are modelled"};
  return results;
}

}  // namespace wnpu::bench
