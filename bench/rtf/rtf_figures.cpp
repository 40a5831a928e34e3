#include "bench/rtf/rtf_figures.h"

#include <algorithm>
#include <filesystem>
#include <functional>

#include "bench/core/results.h"
#include "bench/core/text_table.h"

namespace wnpu::bench {
namespace {

constexpr double kWindowSeconds = 30;

std::vector<double> each(std::span<const RtfRun> runs,
                         const std::function<double(const RtfRun&)>& value) {
  std::vector<double> values(runs.size());
  std::ranges::transform(runs, values.begin(), value);
  return values;
}

// Figures of a value of each run.
struct RunFigures {
  std::span<const RtfRun> runs;
  Results& results;

  void add(const char* name, const char* unit,
           const std::function<double(const RtfRun&)>& value) const {
    results.figures.push_back(figure_of_runs(name, unit, each(runs, value)));
  }
};

void add_count(const std::string& name, const std::string& unit, double value, Results& results) {
  results.figures.push_back(figure_of_value(name, unit, value));
}

// Times in the order of the work.
void add_stages(const RunFigures& figures) {
  figures.add("decode audio", "s", [](const RtfRun& r) { return r.timing.decode_audio; });
  if (figures.runs.front().timing.vad > 0) {
    figures.add("find speech", "s", [](const RtfRun& r) { return r.timing.vad; });
  }
  figures.add("mel", "s", [](const RtfRun& r) { return r.timing.mel; });
  figures.add("encoder", "s", [](const RtfRun& r) { return r.timing.encode; });
  figures.add("decoder", "s", [](const RtfRun& r) { return r.timing.decode; });
  figures.add("output", "s", [](const RtfRun& r) { return r.output_s; });
  figures.add("total", "s", [](const RtfRun& r) { return r.total_s; });
  figures.add("not in any stage", "", [](const RtfRun& r) { return r.rest_share(); });
}

void add_unit_costs(const RunFigures& figures) {
  if (figures.runs.front().n_windows == 0) return;
  const auto windows = static_cast<double>(figures.runs.front().n_windows);
  const auto tokens = static_cast<double>(figures.runs.front().n_tokens);
  figures.add("encoder per window", "s",
              [=](const RtfRun& r) { return r.timing.encode / windows; });
  figures.add("decoder per window", "s",
              [=](const RtfRun& r) { return r.timing.decode / windows; });
  if (tokens > 0) {
    figures.add("decoder per token", "s",
                [=](const RtfRun& r) { return r.timing.decode / tokens; });
  }
}

// RTF = processing time / audio time; speed = audio time / processing time.
void add_speeds(const RunFigures& figures) {
  if (figures.runs.front().audio_s <= 0) return;
  figures.add("real-time factor", "", [](const RtfRun& r) { return r.total_s / r.audio_s; });
  figures.add("speed", "x", [](const RtfRun& r) { return r.audio_s / r.total_s; });
  if (figures.runs.front().n_windows == 0) return;
  figures.add("encoder real-time factor", "",
              [](const RtfRun& r) { return r.timing.encode / r.audio_s; });
  figures.add("encoder speed", "x", [](const RtfRun& r) { return r.audio_s / r.timing.encode; });
  figures.add("encoder speed, full windows", "x", [](const RtfRun& r) {
    return kWindowSeconds * static_cast<double>(r.n_windows) / r.timing.encode;
  });
}

const Figure* find(const Results& results, const std::string& name) {
  const auto found = std::ranges::find(results.figures, name, &Figure::name);
  return found == results.figures.end() ? nullptr : &*found;
}

// A row a time; where it is a part of the total its share, of the means, which add up.
std::string times_table(const Results& results) {
  const double total = find(results, "total")->runs->mean;
  TextTable table({"stage", "median", "p10", "p90", "minimum", "of the total", "kind"});
  for (const Figure& figure : results.figures) {
    if (figure.unit != "s") continue;
    const bool is_part = figure.name.find("per ") == std::string::npos &&
                         figure.name.find("load") == std::string::npos && figure.runs;
    const auto cell = [&figure](double Summary::*member) {
      return figure.runs ? human_seconds((*figure.runs).*member) : "";
    };
    table.add({figure.name, human_seconds(figure.value), cell(&Summary::p10), cell(&Summary::p90),
               cell(&Summary::min), is_part ? percent(figure.runs->mean / total) : "",
               name_of(figure.origin)});
  }
  return table.text();
}

std::string speed_line(const Results& results, const std::string& what, const std::string& prefix) {
  const Figure* rtf = find(results, prefix + "real-time factor");
  const Figure* speed = find(results, prefix + "speed");
  if (rtf == nullptr || speed == nullptr) return "";
  return what + ": real-time factor " + fixed(rtf->value, 4) +
         " (processing time / audio time), speed " + fixed(speed->value, 1) +
         "x (audio time / processing time)\n";
}

std::string value_text(const Figure& figure) {
  if (figure.unit == "bytes") return human_bytes(figure.value);
  if (figure.unit == "s") return human_seconds(figure.value);
  if (figure.unit == "tokens" || figure.unit == "windows") return fixed(figure.value, 0);
  if (figure.unit == "x") return fixed(figure.value, 1) + "x";
  if (figure.unit.empty()) return percent(figure.value);
  return fixed(figure.value, 2) + " " + figure.unit;
}

// "name: value (note)" of the figures that stand alone.
std::string line_of(const Results& results, const std::string& name) {
  const Figure* figure = find(results, name);
  if (figure == nullptr) return "";
  return name + ": " + value_text(*figure) + " (" + name_of(figure->origin) +
         (figure->note.empty() ? "" : ", " + figure->note) + ")\n";
}

std::string heard_table(const Results& results) {
  TextTable table({"file", "audio", "WER", "CER", "text"});
  constexpr std::size_t kShown = 60;
  for (const Heard& heard : results.heard) {
    const auto rate = [](const std::optional<double>& value) {
      return value ? percent(*value) : "-";
    };
    table.add({std::filesystem::path(heard.file).filename().string(), human_seconds(heard.audio_s),
               rate(heard.wer), rate(heard.cer), first_characters(heard.text, kShown)});
  }
  return table.text();
}

}  // namespace

std::string modelled_layer_name(const DeviceInfo& device) {
  std::string name = "encoder layer on the NPU";
  if (device.npu->plan == "hybrid" || device.npu->plan == "per-op") {
    name = "the array's part of a layer (" + device.npu->plan + ")";
  }
  const bool has_heads = std::ranges::any_of(
      device.devices, [](const DeviceUse& use) { return use.heads.has_value(); });
  if (!has_heads) return name;
  const std::string where = "heads, " + std::to_string(device.devices.size()) + " devices";
  if (name.ends_with(")")) return name.insert(name.size() - 1, ", " + where);
  return "a device's part of a layer (" + where + ")";
}

std::optional<double> modelled_layer_ms(std::span<const FileRun> files) {
  double sum = 0;
  double windows = 0;
  for (const FileRun& file : files) {
    const std::optional<NpuUse>& npu = file.transcript.device.npu;
    if (!npu) continue;
    sum += npu->modelled_ms_per_layer * static_cast<double>(npu->windows);
    windows += static_cast<double>(npu->windows);
  }
  if (windows == 0) return {};
  return sum / windows;
}

std::vector<double> totals_of(std::span<const RtfRun> runs) {
  return each(runs, [](const RtfRun& r) { return r.total_s; });
}

void add_stage_figures(std::span<const double> loads, std::span<const RtfRun> runs,
                       Results& results) {
  results.figures.push_back(figure_of_runs("model load", "s", loads));
  results.figures.back().note = "its file was read before: in the page cache";
  const RunFigures figures{runs, results};
  add_stages(figures);
  add_unit_costs(figures);
  figures.add("total with load", "s",
              [load = results.figures.front().value](const RtfRun& r) { return r.total_s + load; });
  add_speeds(figures);
  add_count("audio", "s of audio", runs.front().audio_s, results);
  add_count("windows", "windows", static_cast<double>(runs.front().n_windows), results);
  add_count("tokens", "tokens", static_cast<double>(runs.front().n_tokens), results);
}

void add_device_figures(std::span<const FileRun> files, Results& results) {
  const auto simulated = std::ranges::find_if(
      files, [](const FileRun& file) { return file.transcript.device.simulated; });
  if (simulated == files.end()) return;
  results.notes.push_back(
      "the NPU is SIMULATED: measured times of the encoder are the simulator's own run time on the "
      "CPU and say nothing about an NPU; modelled ones come from its time model");
  const DeviceInfo& device = simulated->transcript.device;
  const std::optional<double> ms = modelled_layer_ms(files);
  if (!device.npu || !ms) return;
  results.figures.push_back(figure_of_value(modelled_layer_name(device), "s", 1e-3 * *ms, {},
                                            device.npu->plan + ", " + device.npu->preset));
  results.figures.back().origin = Origin::kModelled;
}

void add_energy(const EnergyMeter& energy, std::optional<double> joules, std::size_t n_runs,
                Results& results) {
  if (joules) {
    add_count("energy per run", "J", *joules / static_cast<double>(n_runs), results);
    results.figures.back().note = "RAPL: the whole processor package, other processes included";
  } else {
    results.notes.push_back("energy: not measured: " + energy.why_not());
  }
}

std::string rtf_text(const Results& results) {
  std::string text = times_table(results) + "\n";
  text += speed_line(results, "end to end, model loaded", "");
  text += speed_line(results, "encoder only", "encoder ");
  for (const Figure& figure : results.figures) {
    if (figure.origin == Origin::kModelled) text += line_of(results, figure.name);
  }
  for (const char* name :
       {"encoder speed, full windows", "not in any stage", "windows", "tokens", "peak memory",
        "energy per run", "word error rate", "character error rate"}) {
    text += line_of(results, name);
  }
  return text + "\n" + heard_table(results);
}

}  // namespace wnpu::bench
