// prediction_json and prediction_text: the fields of prediction.h. Times are in milliseconds but
// for a call's parts, which are cycles of the preset's clock.
#include <array>
#include <cstdio>

#include <nlohmann/json.hpp>

#include "npu/time_model/prediction.h"

namespace wnpu::npu {
namespace {

using Json = nlohmann::ordered_json;

Json call_json(const LayerCall& call, const CallParts& parts) {
  return {{"first", layer_op_name(call.first)},
          {"last", layer_op_name(call.last)},
          {"bound", parts.bound()},
          {"cores", parts.cores},
          {"busy", parts.busy},
          {"streams", parts.streams},
          {"ddr_read", parts.ddr_read},
          {"ddr_write", parts.ddr_write},
          {"start", parts.start},
          {"controller", parts.controller},
          {"barriers", parts.n_barriers},
          {"tasks", parts.n_tasks}};
}

Json core_json(const CoreCycles& core, double ms_a_cycle) {
  return {{"busy_ms", core.busy * ms_a_cycle},
          {"waiting_a_ms", core.waiting_a * ms_a_cycle},
          {"waiting_b_ms", core.waiting_b * ms_a_cycle},
          {"waiting_c_ms", core.waiting_c * ms_a_cycle}};
}

Json profile_json(const PlanProfile& profile, double ms_a_cycle) {
  Json json{{"launch_ms", profile.launch_ms},
            {"program_bytes", profile.program_bytes},
            {"core", core_json(profile.cores, ms_a_cycle)}};
  json["core"]["before_first_phase_ms"] = profile.cores.waiting_header * ms_a_cycle;
  json["core"]["finished_ms"] = profile.cores.finished * ms_a_cycle;
  for (const OperationProfile& o : profile.operations) {
    Json operation{{"name", o.name}, {"phases", o.n_phases}};
    operation.update(core_json(o.cycles, ms_a_cycle));
    json["operations"].push_back(std::move(operation));
  }
  json["controller"] = {{"operations", profile.controller.operations},
                        {"busy_ms", profile.controller.busy * ms_a_cycle},
                        {"waiting_ms", profile.controller.waiting * ms_a_cycle}};
  json["roofline"] = {{"cores_ms", profile.cores.busy * ms_a_cycle},
                      {"busiest_stream_ms", profile.stream * ms_a_cycle},
                      {"ddr_read_ms", profile.ddr_read * ms_a_cycle},
                      {"ddr_write_ms", profile.ddr_write * ms_a_cycle},
                      {"controller_ms", profile.controller.busy * ms_a_cycle},
                      {"bound_ms", profile.bound * ms_a_cycle}};
  return json;
}

template <typename... Values>
std::string line(const char* format, Values... values) {
  std::array<char, 256> text{};
  const int size = std::snprintf(text.data(), text.size(), format, values...);
  return {text.data(), std::min(text.size() - 1, static_cast<std::size_t>(std::max(0, size)))};
}

std::string core_line(const std::string& name, const CoreCycles& c, double ms_a_cycle) {
  return line("  %-10s %10.3f %10.3f %10.3f %10.3f\n", name.c_str(), c.busy * ms_a_cycle,
              c.waiting_a * ms_a_cycle, c.waiting_b * ms_a_cycle, c.waiting_c * ms_a_cycle);
}

std::string profile_text(const PlanProfile& p, double ms_a_cycle) {
  std::string text = line("simulated %.3f ms, launches %.3f of them\n", p.ms, p.launch_ms) +
                     "milliseconds of an average core:\n"
                     "  operation        busy   waits: A          B          C\n";
  for (const OperationProfile& o : p.operations) text += core_line(o.name, o.cycles, ms_a_cycle);
  text += core_line("all", p.cores, ms_a_cycle);
  text += line("  before the first phase %.3f, after the last %.3f\n",
               p.cores.waiting_header * ms_a_cycle, p.cores.finished * ms_a_cycle);
  text += line("  controller: busy %.3f, waits for tasks %.3f, %zu operations, %zu bytes\n",
               p.controller.busy * ms_a_cycle, p.controller.waiting * ms_a_cycle,
               p.controller.operations, p.program_bytes);
  return text + line("  each alone: cores %.3f, busiest stream %.3f, DDR read %.3f, write %.3f\n",
                     p.cores.busy * ms_a_cycle, p.stream * ms_a_cycle, p.ddr_read * ms_a_cycle,
                     p.ddr_write * ms_a_cycle);
}

std::uint64_t ddr_bytes(const Prediction& prediction) {
  std::uint64_t bytes = 0;
  for (const CallParts& call : prediction.calls) bytes += call.ddr_bytes;
  return bytes;
}

}  // namespace

std::string prediction_json(const Prediction& prediction, const std::string& id) {
  Json json;
  if (!id.empty()) json["id"] = id;
  json["kind"] = "modelled";
  json["fits"] = prediction.problems.empty();
  json["problems"] = prediction.problems;
  if (!prediction.problems.empty()) return json.dump();
  json["weights_bytes"] = prediction.weights_bytes;
  json["scratch_bytes"] = prediction.scratch_bytes;
  json["states_bytes"] = prediction.states_bytes;
  if (prediction.depth == Depth::check) {
    json["plan"] = Json::parse(plan_file_text(prediction.plan));
    return json.dump();
  }
  const double ms_a_cycle = 1 / (prediction.preset.clock_ghz * 1e6);
  json["preset"] = prediction.preset.name;
  json["bound_ms"] = prediction.bound_ms();
  json["ddr_bytes"] = ddr_bytes(prediction);
  for (std::size_t i = 0; i < prediction.calls.size(); ++i) {
    json["calls"].push_back(call_json(prediction.plan.plan.calls[i], prediction.calls[i]));
  }
  if (!prediction.simulated) return json.dump();
  json["simulated_ms"] = prediction.simulated->ms;
  json["profile"] = profile_json(*prediction.simulated, ms_a_cycle);
  return json.dump();
}

std::string prediction_text(const Prediction& prediction) {
  if (!prediction.problems.empty()) {
    std::string text = "does not fit:\n";
    for (const std::string& problem : prediction.problems) text += "  " + problem + "\n";
    return text;
  }
  std::string text = prediction.depth == Depth::check
                         ? "fits\n"
                         : "fits by its shapes and panels; npu check looks at all\n";
  text += line("weights %.2f MB, scratch %.2f MB, states %.2f MB\n",
               static_cast<double>(prediction.weights_bytes) * 1e-6,
               static_cast<double>(prediction.scratch_bytes) * 1e-6,
               static_cast<double>(prediction.states_bytes) * 1e-6);
  if (prediction.depth == Depth::check) return text;
  text += line(
      "%s, modelled, nothing was run on an NPU: at least %.3f ms in %zu calls, %.1f MB of "
      "DDR\n",
      prediction.preset.name.c_str(), prediction.bound_ms(), prediction.calls.size(),
      static_cast<double>(ddr_bytes(prediction)) * 1e-6);
  if (!prediction.simulated) return text;
  return text + profile_text(*prediction.simulated, 1 / (prediction.preset.clock_ghz * 1e6));
}

}  // namespace wnpu::npu
