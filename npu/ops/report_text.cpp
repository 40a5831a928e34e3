#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "npu/design/resident.h"
#include "npu/ops/core_kernels.h"
#include "npu/ops/report.h"

namespace wnpu::npu {
namespace {

std::string four_digits(double value) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.4g", value);
  return text.data();
}

std::string left_aligned(const std::string& text, std::size_t width) {
  return text + std::string(text.size() < width ? width - text.size() : 1, ' ');
}

std::string where_it_runs(const Operator& op) {
  if (op.phase) return "core";
  return op.tile ? "cpu (a tile kernel, and no phase of a core's program)" : "cpu";
}

std::string operand_text(const Operator& op, const Operand& operand) {
  std::string text = left_aligned(operand.name, 14) + std::string(type_name(operand.type)) + " [" +
                     op.sizes[operand.rows].name;
  if (operand.columns != Operand::kNoColumns) text += ", " + op.sizes[operand.columns].name;
  text += "]";
  if (operand.tile_rows * operand.tile_columns > 1) {
    text += " in tiles of " + std::to_string(operand.tile_rows) + "x" +
            std::to_string(operand.tile_columns);
  }
  if (!operand.bound) return text;
  const ErrorBound bound = operand.bound(usual_sizes(op));
  return text + ", error at most " + four_digits(bound.absolute) + " + " +
         four_digits(bound.relative) + " of its magnitude";
}

std::string cost_text(const std::optional<TileCost>& cost) {
  if (!cost) return "not known";
  return four_digits(cost->cycles) + " cycles, " + std::string(provenance_name(cost->provenance)) +
         " (" + cost->source + ")";
}

std::string steps_text(const Operator& op) {
  if (!op.phase) return "none: a core's program has no phase for it, the CPU's reference runs";
  const PhaseHeader phase = op.phase(usual_sizes(op));
  std::string text = "in a phase of " +
                     std::string(core_kernels()[static_cast<std::size_t>(phase.kernel)].name) + ":";
  for (const Task task : op.tasks) {
    text += " " + std::string(core_tasks()[static_cast<std::size_t>(task)].name);
  }
  return text;
}

std::string deviation_text(const Deviation& deviation) {
  return left_aligned(four_digits(deviation.error), 11) +
         left_aligned(four_digits(100 * deviation.share) + " %", 11);
}

std::string row_of(const ValueResult& result, bool has_tile) {
  std::string text = "  " + left_aligned(std::string(result.values), 10);
  if (!result.is_bound) return text + "nothing is promised\n";
  text += has_tile ? deviation_text(result.tile) : left_aligned("-", 22);
  text += deviation_text(result.reference);
  text += has_tile ? four_digits(result.apart) : "-";
  for (const Deviation* deviation : {&result.tile, &result.reference}) {
    if (deviation->share > 1) text += "\n    beyond its bound: " + deviation->fault;
  }
  return text + "\n";
}

}  // namespace

std::string list_text(const OperatorRegistry& registry) {
  std::string text;
  for (const auto& op : registry.all()) {
    text += left_aligned(op->name, 20) + left_aligned(op->phase ? "core" : "cpu", 6) + op->summary;
    if (op->source != "built in") text += " (" + op->source + ")";
    text += "\n";
  }
  return text;
}

std::string description_text(const Operator& op) {
  std::string text = op.name + ": " + op.summary + "\n  from        " + op.source +
                     "\n  runs on     " + where_it_runs(op) + "\n";
  for (const OperatorSize& size : op.sizes) {
    text += "  size        " + size.name + ": a multiple of " + std::to_string(size.multiple) +
            " up to " + std::to_string(size.most) + "\n";
  }
  for (const OperatorAttribute& a : op.attributes) {
    text += "  attribute   " + a.name + " = " + four_digits(a.value) + ": " + a.meaning + "\n";
  }
  for (const Operand& operand : op.inputs)
    text += "  input       " + operand_text(op, operand) + "\n";
  for (const Operand& operand : op.outputs) {
    text += "  result      " + operand_text(op, operand) + "\n";
  }
  text += "  values      bounds hold " +
          (op.largest > 0 ? "up to " + four_digits(op.largest) : std::string("for all")) +
          (op.keeps_nan ? "; NaN and infinity are kept\n" : "; nothing is promised of NaN\n");
  text += "  steps       " + steps_text(op) + "\n";
  text += "  cost        " + op.sizes_text(usual_sizes(op)) + ": " +
          cost_text(op.cost ? op.cost(usual_sizes(op)) : std::nullopt) + "\n";
  return text;
}

std::string validation_text(const Operator& op, const Validation& validation) {
  std::string text = op.name + " (" + op.source + ") against fp64, " +
                     std::to_string(validation.shapes.size()) + " shapes\n  " +
                     left_aligned("values", 10) + left_aligned("tile kernel: error, of bound", 22) +
                     "  " + left_aligned("CPU reference", 22) + "apart\n";
  if (!validation.has_tile) text += "  no tile kernel: the CPU's reference alone\n";
  for (const ValueResult& result : validation.values) text += row_of(result, validation.has_tile);
  text += "  tiles:\n";
  for (const ShapeResult& shape : validation.shapes) {
    text += "    " + left_aligned(op.sizes_text(shape.sizes), 36) + std::to_string(shape.bytes) +
            " bytes, ";
    text += shape.cost ? four_digits(shape.cost->cycles) + " cycles " +
                             std::string(provenance_name(shape.cost->provenance))
                       : "cycles not known";
    text += "\n";
  }
  return text + (validation.holds() ? "the bound holds\n" : "THE BOUND DOES NOT HOLD\n");
}

std::string times_text(const Operator& op, const OperatorTimes& times, std::string_view preset) {
  std::string text = op.name + " (" + op.source + "), one tile, " + op.sizes_text(times.sizes) +
                     ": " + std::to_string(times.bytes_in) + " bytes in, " +
                     std::to_string(times.bytes_out) + " out\n";
  if (times.modelled_us) {
    text += "  one core    " + std::string(times.is_lower_bound ? "at least " : "") +
            four_digits(*times.modelled_us) + " us, modelled as " + std::string(preset) +
            ", on no silicon\n";
  } else {
    text += "  one core    no tile kernel's cycles are known\n";
  }
  if (times.table_cycles) {
    text += "    table     " + four_digits(*times.table_cycles) + " cycles, from\n";
    for (const Rate& rate : times.rates) {
      text += "      " + left_aligned(four_digits(rate.value), 8) +
              left_aligned(std::string(provenance_name(rate.provenance)), 10) +
              std::string(rate.source) + "\n";
    }
  }
  text += "    kernel    " + cost_text(times.cost) + "\n";
  text += "    streams   " + four_digits(times.stream_cycles) + " cycles for its longest operand\n";
  return text + "  CPU         " + four_digits(times.reference_us) +
         " us, measured here, the reference, median of " + std::to_string(times.runs) + "\n";
}

}  // namespace wnpu::npu
