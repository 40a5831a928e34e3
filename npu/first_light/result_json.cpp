#include <nlohmann/json.hpp>

#include "npu/first_light/result.h"
#include "npu/first_light/table_fields.h"

namespace wnpu::npu {
namespace {

using Json = nlohmann::ordered_json;

template <typename T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json json_of(const Machine& m) {
  return {{"product", m.product},
          {"device", m.device},
          {"simulated", m.is_simulated},
          {"driver", text_or_null(m.driver)},
          {"firmware", text_or_null(m.firmware)},
          {"clock_ghz", or_null(m.clock_ghz)},
          {"clock_source", text_or_null(m.clock_source)}};
}

Json json_of(const Difference& d) {
  Json json{{"region", d.region},
            {"matrix", Json()},
            {"row", Json()},
            {"column", Json()},
            {"element", d.element},
            {"expected", bits_text(d.expected)},
            {"found", bits_text(d.found)},
            {"differing", d.differing},
            {"compared", d.compared},
            {"max_ulp", or_null(d.max_ulp)}};
  if (d.place) {
    json["matrix"] = d.place->matrix;
    json["row"] = d.place->row;
    json["column"] = d.place->column;
  }
  return json;
}

Json json_of(const StepResult& step) {
  Json checks = Json::array();
  for (const Check& check : step.checks) {
    Json differences = Json::array();
    for (const Difference& difference : check.differences) {
      differences.push_back(json_of(difference));
    }
    checks.push_back({{"call", check.call},
                      {"values", check.values},
                      {"compared", check.compared},
                      {"differences", std::move(differences)}});
  }
  return {{"name", kStepNames[static_cast<std::size_t>(step.step)]},
          {"status", kStatusNames[static_cast<std::size_t>(step.status)]},
          {"reason", text_or_null(step.reason)},
          {"checks", std::move(checks)}};
}

Json json_of(const Rate& rate) {
  return {{"value", rate.value},
          {"provenance", provenance_name(rate.provenance)},
          {"source", rate.source}};
}

Json json_of(const MeasuredTable& table) {
  Json json;
  for (const TimeField& field : kTimeFields) json[field.name] = table.preset.*field.value;
  for (const RateField& field : kRateFields) {
    json["rates"][field.name] = json_of(table.preset.kernels.*field.rate);
  }
  for (const CostField& field : kCostFields) {
    json["controller"][field.name] = json_of((*table.costs).*field.rate);
  }
  return json;
}

}  // namespace

std::string first_light_json(const FirstLight& result, const std::string& date) {
  Json json{{"document", kFirstLightDocument},
            {"schema_version", kFirstLightSchema},
            {"date", date},
            {"passed", result.has_passed()},
            {"machine", json_of(result.machine)}};
  json["layer"] = {{"frames", result.shape.frames},
                   {"width", result.shape.width},
                   {"heads", result.shape.heads},
                   {"hidden", result.shape.hidden},
                   {"precision", precision_name(result.precision)},
                   {"target", result.target},
                   {"overlay", result.overlay}};
  json["steps"] = Json::array();
  for (const StepResult& step : result.steps) json["steps"].push_back(json_of(step));
  json["times"] = Json::array();
  for (const CallTime& time : result.times) {
    json["times"].push_back({{"call", time.call},
                             {"runs", time.runs},
                             {"median_us", time.median_us},
                             {"p95_us", time.p95_us}});
  }
  json["measured"] = Json::array();
  for (const Measured& m : result.measured) {
    json["measured"].push_back({{"name", m.name},
                                {"unit", m.unit},
                                {"value", or_null(m.value)},
                                {"note", text_or_null(m.note)}});
  }
  json["watts"] = or_null(result.watts);
  json["kernel_table"] = result.table ? json_of(*result.table) : Json();
  // Driver messages may be invalid UTF-8.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace wnpu::npu
