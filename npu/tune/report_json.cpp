// report_json: the fields of report.h; times in milliseconds.
#include <nlohmann/json.hpp>

#include "npu/plans/tuning_fields.h"
#include "npu/predict/predictor.h"
#include "npu/tune/report.h"

namespace wnpu::npu {
namespace {

using Json = nlohmann::ordered_json;

Json change_json(const PlanResult& result) {
  Json json{
      {"layer_ms", result.ms}, {"ddr_bytes", result.ddr_bytes}, {"bound_ms", result.bound_ms}};
  for (const TuningSize& f : kTuningSizes) json["tuning"][f.name] = result.plan.tuning.*f.field;
  for (const TuningFlag& f : kTuningFlags) json["tuning"][f.name] = result.plan.tuning.*f.field;
  for (const LayerCall& call : result.plan.calls) {
    json["calls"].push_back(Json::array({layer_op_name(call.first), layer_op_name(call.last)}));
  }
  return json;
}

Json change_json(const PlanProfile& profile, double clock_ghz) {
  const auto ms = [clock_ghz](double cycles) { return cycles / (clock_ghz * 1e6); };
  const auto core = [&](const CoreCycles& c) {
    return Json{{"busy_ms", ms(c.busy)},
                {"waiting_a_ms", ms(c.waiting_a)},
                {"waiting_b_ms", ms(c.waiting_b)},
                {"waiting_c_ms", ms(c.waiting_c)}};
  };
  Json json{
      {"layer_ms", profile.ms}, {"launch_ms", profile.launch_ms}, {"core", core(profile.cores)}};
  json["core"]["before_first_phase_ms"] = ms(profile.cores.waiting_header);
  json["core"]["finished_ms"] = ms(profile.cores.finished);
  for (const OperationProfile& o : profile.operations) {
    Json operation = core(o.cycles);
    operation["name"] = o.name;
    operation["phases"] = o.n_phases;
    json["operations"].push_back(operation);
  }
  json["controller"] = {{"operations", profile.controller.operations},
                        {"busy_ms", ms(profile.controller.busy)},
                        {"waiting_ms", ms(profile.controller.waiting)}};
  json["roofline"] = {
      {"cores_ms", ms(profile.cores.busy)},           {"busiest_stream_ms", ms(profile.stream)},
      {"ddr_read_ms", ms(profile.ddr_read)},          {"ddr_write_ms", ms(profile.ddr_write)},
      {"controller_ms", ms(profile.controller.busy)}, {"bound_ms", ms(profile.bound)}};
  return json;
}

}  // namespace

std::string report_json(const TuneReport& report) {
  const TuneResult& r = report.result;
  const double clock = report.options.preset.clock_ghz;
  Json json{{"document", "whisper-npu npu tune"},
            {"schema_version", 1},
            {"kind", "modelled"},
            {"layer", report.layer},
            {"target", report.options.target->name},
            {"preset", report.options.preset.name},
            {"objective", kObjectiveNames[static_cast<std::size_t>(report.options.objective)]},
            {"by_hand", change_json(r.by_hand)},
            {"found", change_json(r.best)}};
  json["found"]["changes"] = Json::array();
  for (const ChangedChoice& c : report.changes) {
    json["found"]["changes"].push_back({{"choice", c.name},
                                        {"by_hand", c.by_hand},
                                        {"found", c.found},
                                        {"layer_ms_without", c.without_ms}});
    if (c.without_ms == 0) json["found"]["changes"].back()["layer_ms_without"] = nullptr;
  }
  json["search"] = {
      {"plans", r.n_plans},      {"simulated", r.n_simulated},   {"proven_no_better", r.n_proven},
      {"refused", r.n_refused},  {"calls_simulated", r.n_calls}, {"seconds", r.seconds},
      {"is_whole", r.is_whole()}};
  json["by_hand"]["profile"] = change_json(report.by_hand, clock);
  json["found"]["profile"] = change_json(report.best, clock);
  for (const Predicted& p : report.predictions) {
    Json row{{"name", p.name}, {"simulated_ms", p.simulated_ms}};
    row["published_ms"] = p.published_ms > 0 ? Json(p.published_ms) : Json(nullptr);
    for (std::size_t i = 0; i < p.predicted_ms.size(); ++i) {
      row[std::string(predictors()[i].name) + "_ms"] = p.predicted_ms[i];
    }
    json["predictions"].push_back(row);
  }
  return json.dump(2) + "\n";
}

}  // namespace wnpu::npu
