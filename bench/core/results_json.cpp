#include <array>
#include <ctime>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "app/formats/json_parts.h"
#include "app/system/build_info.h"
#include "bench/core/results.h"

namespace wnpu::bench {
namespace {

using Json = nlohmann::ordered_json;

// Version of bench.schema.json; grows where a reader of older results would go wrong.
constexpr int kSchemaVersion = 1;

// "2025-11-21T16:20:00Z"
std::string now_utc() {
  const std::time_t now = std::time(nullptr);
  std::tm parts = {};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json object_of(const std::vector<std::pair<std::string, std::string>>& pairs) {
  Json object = Json::object();
  for (const auto& [name, value] : pairs) object[name] = value;
  return object;
}

Json machine_of(const app::Machine& machine, const std::string& instruction_set) {
  return {{"cpu", machine.cpu},
          {"features", machine.features},
          {"instruction_set", text_or_null(instruction_set)},
          {"online_cpus", machine.online_cpus},
          {"usable_cpus", machine.usable_cpus},
          {"cpu_limit", app::json_or_null(machine.cpu_limit)},
          {"memory_bytes", machine.memory_bytes},
          {"memory_limit_bytes", app::json_or_null(machine.memory_limit_bytes)},
          {"kernel", machine.kernel}};
}

Json figure_json(const Figure& figure) {
  Json object = {{"name", figure.name},
                 {"unit", figure.unit},
                 {"kind", name_of(figure.origin)},
                 {"value", figure.value}};
  if (figure.runs) {
    object["runs"] = figure.runs->runs;
    object["min"] = figure.runs->min;
    object["p10"] = figure.runs->p10;
    object["p90"] = figure.runs->p90;
    object["mean"] = figure.runs->mean;
  }
  if (!figure.labels.empty()) object["labels"] = object_of(figure.labels);
  if (!figure.note.empty()) object["note"] = figure.note;
  return object;
}

Json heard_json(const Heard& heard) {
  return {{"program", heard.program},
          {"file", std::filesystem::path(heard.file).filename().string()},
          {"audio_s", heard.audio_s},
          {"text", heard.text},
          {"wer", app::json_or_null(heard.wer)},
          {"cer", app::json_or_null(heard.cer)}};
}

Json noise_json(const NoiseVerdict& noise) {
  return {{"noisy", !noise.reason.empty()},
          {"reason", text_or_null(noise.reason)},
          {"largest_spread", noise.spread},
          {"other_cpu", noise.other_cpu},
          {"steal", noise.steal}};
}

Json calibration_json(const Calibration& calibration) {
  return {{"threads", calibration.threads},
          {"gemm_s", calibration.gemm_s},
          {"copy_s", calibration.copy_s}};
}

}  // namespace

std::string results_json(const Results& results, const app::Machine& machine) {
  Json figures = Json::array();
  for (const Figure& figure : results.figures) figures.push_back(figure_json(figure));
  Json heard = Json::array();
  for (const Heard& one : results.heard) heard.push_back(heard_json(one));
  Json json = {
      {"schema_version", kSchemaVersion},
      {"mode", results.mode},
      {"date", now_utc()},
      {"program",
       {{"version", app::kVersion},
        {"commit", app::kGitCommit},
        {"compiler", app::kCompiler},
        {"build_type", app::kBuildType}}},
      {"machine", machine_of(machine, results.instruction_set)},
      {"options", object_of(results.options)},
      {"noise", results.noise ? noise_json(*results.noise) : Json()},
      {"calibration", results.calibration ? calibration_json(*results.calibration) : Json()},
      {"figures", std::move(figures)},
      {"heard", std::move(heard)},
      {"notes", results.notes}};
  if (!results.advice.empty()) json["advice"] = object_of(results.advice);
  // Broken UTF-8 (names of files) comes out as U+FFFD; numbers that are not finite as null.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace wnpu::bench
