// --report and --trace: what the other modes find as one page of charts, and one window in time.
#include <algorithm>
#include <iostream>
#include <iterator>

#include "app/engine/available_cpus.h"
#include "app/engine/devices/device_choice.h"
#include "app/engine/model_path.h"
#include "app/output/result_guard.h"
#include "app/system/build_info.h"
#include "app/system/output_file.h"
#include "app/system/progress.h"
#include "bench/core/modes.h"
#include "bench/core/noise.h"
#include "bench/core/text_table.h"
#include "bench/input/window.h"
#include "bench/report/report_html.h"
#include "bench/rtf/rtf.h"
#include "models/kernels/vectors/instruction_set.h"

namespace wnpu::bench {
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

// A row a span of the page's lanes, phases apart.
std::string page_table(const Window& window) {
  TextTable table({"lane", "work", "start", "time", "kind"});
  for (const TimelineSpan& span : window.stages) {
    if (span.lane == kPhasesLane) continue;
    table.add({span.lane, span.name, human_seconds(span.start_s),
               human_seconds(span.end_s - span.start_s), name_of(span.origin)});
  }
  return table.text() + "text: " + window.text + "\n";
}

void add_page_figures(const Window& window, Results& results) {
  for (const TimelineSpan& span : window.stages) {
    if (span.lane == kPhasesLane) continue;
    results.figures.push_back({"one window: " + span.name,
                               "s",
                               span.origin,
                               span.end_s - span.start_s,
                               {},
                               {{"lane", span.lane}},
                               ""});
  }
}

// Pieces of one name that lie so near each other that a chart cannot show the gap become one.
void merge_near(std::vector<TimelineSpan>& spans, double least_gap_s) {
  std::vector<TimelineSpan> merged;
  for (TimelineSpan& span : spans) {
    const bool continues = !merged.empty() && merged.back().lane == span.lane &&
                           merged.back().name == span.name &&
                           span.start_s - merged.back().end_s < least_gap_s;
    if (continues) {
      merged.back().end_s = span.end_s;
    } else {
      merged.push_back(std::move(span));
    }
  }
  spans = std::move(merged);
}

// The whole window, and of the array its first layer, core by core.
std::vector<Timeline> timelines_of(const Window& window) {
  Timeline whole{"One window",
                 "From audio to text, with the layers on the simulated array; rest the mouse on a "
                 "piece.",
                 {}};
  std::ranges::copy_if(window.stages, std::back_inserter(whole.spans),
                       [](const TimelineSpan& span) { return span.lane != kPhasesLane; });
  Timeline layer{"The first layer on the array",
                 "Its phases, and when each core works on which of them; gaps are waiting.",
                 {}};
  const auto work = std::ranges::find_if(window.stages, [](const TimelineSpan& span) {
    return span.lane == kLayersLane && span.name == "layer 0";
  });
  const auto add = [&](const std::vector<TimelineSpan>& spans, const std::string& lane_begin) {
    for (TimelineSpan span : spans) {
      if (!span.lane.starts_with(lane_begin) || span.start_s >= work->end_s) continue;
      span.start_s -= work->start_s;
      span.end_s -= work->start_s;
      layer.spans.push_back(std::move(span));
    }
  };
  add(window.stages, kPhasesLane);
  add(window.tiles, "core");
  // Channels of a core's DMA are tracks of their own.
  std::erase_if(layer.spans, [](const TimelineSpan& span) {
    return span.lane.find(' ') != std::string::npos && span.lane != kPhasesLane;
  });
  constexpr double kLeastGap = 0.002;  // of the chart: about a pixel
  merge_near(layer.spans, kLeastGap * (work->end_s - work->start_s));
  return {whole, layer};
}

// Stages as --rtf found them, medians.
std::vector<StageTime> stages_of(const Results& rtf) {
  const bool is_simulated = std::ranges::any_of(rtf.options, [](const auto& option) {
    return option.first == "device_used" && option.second.ends_with("(simulated)");
  });
  std::vector<StageTime> stages;
  for (const char* name : {"decode audio", "find speech", "mel", "encoder", "decoder", "output"}) {
    const auto figure = std::ranges::find(rtf.figures, name, &Figure::name);
    if (figure == rtf.figures.end()) continue;
    const bool is_simulator = is_simulated && figure->name == "encoder";
    stages.push_back({is_simulator ? "encoder (the simulator's own time)" : name, figure->value,
                      figure->origin});
  }
  return stages;
}

// The next mode's results below those of the ones before.
void append(const std::string& title, Results part, Results& all) {
  all.text += (all.text.empty() ? "" : "\n") + title + "\n\n" + part.text;
  if (part.noise) all.text += "noise: " + noise_line(*part.noise) + "\n";
  std::ranges::move(part.figures, std::back_inserter(all.figures));
  std::ranges::move(part.heard, std::back_inserter(all.heard));
  std::ranges::move(part.notes, std::back_inserter(all.notes));
  for (auto& [name, value] : part.options) all.options.emplace_back(part.mode + "." + name, value);
  std::ranges::move(part.report.plans, std::back_inserter(all.report.plans));
  std::ranges::move(part.report.rooflines, std::back_inserter(all.report.rooflines));
}

std::string option_text(const Results& results) {
  std::string text;
  for (const auto& [name, value] : results.options) {
    if (!name.starts_with("rtf.") || value.empty()) continue;
    text += (text.empty() ? "" : ", ") + name.substr(4) + " " + value;
  }
  return text;
}

std::vector<std::pair<std::string, std::string>> facts_of(const Results& results) {
  const app::Machine machine = app::describe_machine();
  return {{"machine", machine.cpu + ", " + std::to_string(machine.usable_cpus) + " CPUs, " +
                          results.instruction_set + ", " + machine.kernel},
          {"program", std::string("whisper-npu ") + app::kVersion + " (" + app::kGitCommit + ", " +
                          app::kBuildType + ")"},
          {"measured with", option_text(results)},
          {"noise", results.noise ? noise_line(*results.noise) : "not measured"},
          {"NPU", "simulated: there was none, and what is modelled was not compared with one"}};
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
  results.report.stages = stages_of(results);
  for (auto& [name, value] : results.options) name.insert(0, "rtf.");
  results.text.insert(0, "stages\n\n");
  append("plans", measure_plans(options), results);
  append("kernels", measure_kernels(options), results);
  const Window window = window_of(options);
  results.text += "\none window\n\n" + page_table(window);
  add_page_figures(window, results);
  results.report.timelines = timelines_of(window);
  results.report.title = "whisper-npu: how fast, and where the time goes";
  results.report.facts = facts_of(results);
  results.report.notes = results.notes;
  app::write_file(options.mode_value, report_html(results.report));
  results.notes.push_back("charts: " + options.mode_value);
  return results;
}

Results write_trace(const BenchOptions& options) {
  require_replaceable(options);
  const Window window = window_of(options);
  app::write_file(options.mode_value, trace_json(window));
  Results results;
  results.mode = "trace";
  results.instruction_set = kernels::instruction_set_name();
  results.options = {{"model", options.work.model}, {"npu_preset", window.preset}};
  results.text = page_table(window);
  add_page_figures(window, results);
  results.notes = {"trace of " + std::to_string(window.stages.size() + window.tiles.size()) +
                       " events: " + options.mode_value +
                       ", for ui.perfetto.dev or chrome://tracing",
                   "the layers ran on the CPU; the array's lanes are modelled"};
  return results;
}

}  // namespace wnpu::bench
