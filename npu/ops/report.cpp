#include "npu/ops/report.h"

#include <cmath>

#include <nlohmann/json.hpp>

#include "npu/design/core_kernels.h"

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
  const ErrorBound bound = operand.bound(op.usual_sizes());
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
          {"runs_on", op.kernel ? "core" : "cpu"}};
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

}  // namespace

Json list_of(const OperatorRegistry& registry) {
  Json list = Json::array();
  for (const auto& op : registry.all()) list.push_back(summary_of(*op));
  return {{"operators", list}};
}

Json description_of(const Operator& op) {
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
  if (op.kernel) {
    Json tasks = Json::array();
    for (const Task task : op.tasks) {
      tasks.push_back(core_tasks()[static_cast<std::size_t>(task)].name);
    }
    json["steps"] = {{"kernel", core_kernels()[static_cast<std::size_t>(*op.kernel)].name},
                     {"tasks", tasks}};
  }
  json["usual_sizes"] = sizes_of(op, op.usual_sizes());
  json["cost"] = cost_of(op.cost ? op.cost(op.usual_sizes()) : std::nullopt);
  return json;
}

Json validation_of(const Operator& op, const Validation& validation) {
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
  return json;
}

}  // namespace wnpu::npu
