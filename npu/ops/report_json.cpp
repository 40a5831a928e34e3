#include <cmath>

#include <nlohmann/json.hpp>

#include "npu/design/resident.h"
#include "npu/ops/core_kernels.h"
#include "npu/ops/report.h"

namespace wnpu::npu {
namespace {

using Json = nlohmann::ordered_json;

Json operand_of(const Operator& op, const Operand& operand) {
  Json shape = Json::array({op.sizes[operand.rows].name});
  if (operand.columns != Operand::kNoColumns) shape.push_back(op.sizes[operand.columns].name);
  Json json = {{"name", operand.name},
               {"type", type_name(operand.type)},
               {"shape", shape},
               {"tile", {operand.tile_rows, operand.tile_columns}}};
  if (!operand.bound) return json;
  const ErrorBound bound = operand.bound(usual_sizes(op));
  json["bound"] = {{"absolute", bound.absolute}, {"relative", bound.relative}};
  return json;
}

Json operands_of(const Operator& op, const std::vector<Operand>& operands) {
  Json list = Json::array();
  for (const Operand& operand : operands) list.push_back(operand_of(op, operand));
  return list;
}

Json sizes_of(const Operator& op, const Sizes& sizes) {
  Json json = Json::object();
  for (std::size_t i = 0; i < sizes.size(); ++i) json[op.sizes[i].name] = sizes[i];
  return json;
}

Json summary_of(const Operator& op) {
  return {{"name", op.name},
          {"summary", op.summary},
          {"source", op.source},
          {"has_tile_kernel", static_cast<bool>(op.tile)},
          {"runs_on", op.phase ? "core" : "cpu"}};
}

Json cost_of(const std::optional<TileCost>& cost) {
  if (!cost) return {};
  return {{"cycles", cost->cycles},
          {"provenance", provenance_name(cost->provenance)},
          {"source", cost->source}};
}

// Infinite or NaN: null.
Json number_or_null(double number) { return std::isfinite(number) ? Json(number) : Json(); }

Json deviation_of(const Deviation& deviation) {
  return {{"error", number_or_null(deviation.error)},
          {"share_of_bound", number_or_null(deviation.share)},
          {"holds", deviation.share <= 1},
          {"fault", deviation.fault.empty() ? Json() : Json(deviation.fault)}};
}

std::string document_text(const Json& json) { return json.dump(2) + "\n"; }

}  // namespace

std::string list_json(const OperatorRegistry& registry) {
  Json list = Json::array();
  for (const auto& op : registry.all()) list.push_back(summary_of(*op));
  return document_text({{"operators", list}});
}

std::string description_json(const Operator& op) {
  Json json = summary_of(op);
  Json sizes = Json::array();
  for (const OperatorSize& size : op.sizes) {
    sizes.push_back({{"name", size.name}, {"multiple", size.multiple}, {"most", size.most}});
  }
  Json attributes = Json::array();
  for (const OperatorAttribute& a : op.attributes) {
    attributes.push_back({{"name", a.name}, {"value", a.value}, {"meaning", a.meaning}});
  }
  json["sizes"] = sizes;
  json["attributes"] = attributes;
  json["inputs"] = operands_of(op, op.inputs);
  json["outputs"] = operands_of(op, op.outputs);
  json["largest"] = op.largest > 0 ? Json(op.largest) : Json();
  json["keeps_nan"] = op.keeps_nan;
  json["steps"] = Json();
  if (op.phase) {
    const PhaseHeader phase = op.phase(usual_sizes(op));
    Json tasks = Json::array();
    for (const Task task : op.tasks) {
      tasks.push_back(core_tasks()[static_cast<std::size_t>(task)].name);
    }
    json["steps"] = {{"kernel", core_kernels()[static_cast<std::size_t>(phase.kernel)].name},
                     {"tasks", tasks}};
  }
  json["usual_sizes"] = sizes_of(op, usual_sizes(op));
  json["cost"] = cost_of(op.cost ? op.cost(usual_sizes(op)) : std::nullopt);
  return document_text(json);
}

std::string validation_json(const Operator& op, const Validation& validation) {
  Json json = summary_of(op);
  json["holds"] = validation.holds();
  Json values = Json::array();
  for (const ValueResult& result : validation.values) {
    values.push_back(
        {{"values", result.values},
         {"is_promised", result.is_bound},
         {"tile", validation.has_tile ? deviation_of(result.tile) : Json()},
         {"reference", deviation_of(result.reference)},
         {"tile_from_reference", validation.has_tile ? number_or_null(result.apart) : Json()}});
  }
  json["values"] = values;
  Json shapes = Json::array();
  for (const ShapeResult& shape : validation.shapes) {
    shapes.push_back({{"sizes", sizes_of(op, shape.sizes)},
                      {"bytes", shape.bytes},
                      {"cost", cost_of(shape.cost)}});
  }
  json["shapes"] = shapes;
  return document_text(json);
}

std::string times_json(const Operator& op, const OperatorTimes& times, std::string_view preset) {
  Json json = summary_of(op);
  json["sizes"] = sizes_of(op, times.sizes);
  json["bytes_in"] = times.bytes_in;
  json["bytes_out"] = times.bytes_out;
  json["preset"] = preset;
  json["modelled_us"] = times.modelled_us ? Json(*times.modelled_us) : Json();
  json["is_lower_bound"] = times.is_lower_bound;
  json["table_cycles"] = times.table_cycles ? Json(*times.table_cycles) : Json();
  Json rates = Json::array();
  for (const Rate& rate : times.rates) {
    rates.push_back({{"value", rate.value},
                     {"provenance", provenance_name(rate.provenance)},
                     {"source", rate.source}});
  }
  json["rates"] = rates;
  json["cost"] = cost_of(times.cost);
  json["stream_cycles"] = times.stream_cycles;
  json["reference_us"] = times.reference_us;
  json["runs"] = times.runs;
  return document_text(json);
}

}  // namespace wnpu::npu
