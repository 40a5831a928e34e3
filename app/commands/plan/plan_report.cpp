#include "app/commands/plan/plan_report.h"

#include <cmath>

#include <nlohmann/json.hpp>

#include "app/formats/json_parts.h"
#include "app/formats/text_table.h"

namespace wnpu::app {
namespace {

using nlohmann::ordered_json;

std::string figures(double value) {
  // Four figures, without an exponent where it would be one of a number that people read.
  const bool is_whole = value == std::floor(value) && std::abs(value) < 1e15;
  return decimal(is_whole ? "%.0f" : "%.4g", value);
}

// "1.5 s", "12.3 min", "7.0 h", "40.2 d": from two of a unit on in that unit.
std::string time_text(double seconds) {
  struct Unit {
    double seconds;
    const char* name;
  };
  constexpr std::array kUnits = {Unit{86400, "d"}, Unit{3600, "h"}, Unit{60, "min"}, Unit{1, "s"}};
  const auto* unit = kUnits.begin();
  while (unit + 1 != kUnits.end() && seconds < 2 * unit->seconds) ++unit;
  return decimal("%.1f ", seconds / unit->seconds) + unit->name;
}

std::string plans_text(const std::vector<FleetPlan>& plans) {
  const bool has_money = plans.front().money.has_value();
  std::vector<TextRow> rows = {
      {"machines", "shards", "cores", "time", "slow", "machine hours", "efficiency"}};
  if (has_money) rows.front().push_back("money");
  for (const FleetPlan& plan : plans) {
    rows.push_back({std::to_string(plan.machines), std::to_string(plan.shards),
                    std::to_string(plan.cores), time_text(plan.wall_s), time_text(plan.wall_slow_s),
                    figures(plan.machine_hours),
                    figures(std::round(100 * plan.efficiency)) + " %"});
    if (has_money) rows.back().push_back(figures(*plan.money));
  }
  return text_table(rows);
}

ordered_json plan_part_json(const PlanNumber& number) {
  return {{"name", number.name},
          {"value", number.value},
          {"unit", number.unit},
          {"source", kSourceNames.at(static_cast<std::size_t>(number.source))},
          {"meaning", number.meaning}};
}

ordered_json plan_part_json(const FleetPlan& plan) {
  return {{"machines", plan.machines},
          {"shards", plan.shards},
          {"cores", plan.cores},
          {"longest_shard_s", plan.shard_s},
          {"wall_s", plan.wall_s},
          {"wall_slow_s", plan.wall_slow_s},
          {"machine_hours", plan.machine_hours},
          {"money", json_or_null(plan.money)},
          {"efficiency", plan.efficiency}};
}

}  // namespace

std::vector<std::string> plan_formulas(bool is_exact) {
  return {
      "row_s(d) = window_s * windows(d) + second_s * d; windows(d) = max(1, ceil(d / 30 s))",
      "work_s = window_s * windows + second_s * audio_s",
      "shards = min(machines * processes, rows); cores = shards * threads",
      is_exact
          ? "longest_shard_s = the largest sum of row_s over the rows i, i + shards, i + 2 shards, "
            "... of the manifest"
          : "longest_shard_s = min(work_s, work_s / shards + row_s(longest_s))",
      "time = start_s + read_s + load_s + longest_shard_s",
      "slow = start_s + read_s + load_s + (1 + spread) * longest_shard_s",
      "machine hours = machines * time: each is there until the longest shard has ended",
      "money = machine hours * price_hour",
      "efficiency = work_s / (shards * time)"};
}

std::string plan_text(const PlanReport& report) {
  std::string text = report.model + " on " + report.device + ", " + report.cpu + "\n\n";
  std::vector<TextRow> rows = {{"number", "value", "unit", "source", ""}};
  for (const PlanNumber& number : report.numbers) {
    rows.push_back({number.name, figures(number.value), number.unit,
                    std::string(kSourceNames.at(static_cast<std::size_t>(number.source))),
                    number.meaning});
  }
  text += text_table(rows) + "\n";
  for (const std::string& formula : report.formulas) text += formula + "\n";
  text += "\n" + plans_text(report.plans);
  if (report.deadline_s) {
    text += "\nwithin " + time_text(*report.deadline_s) + ": " +
            (report.meets_deadline == true ? "yes\n" : "no, on no number of machines\n");
  }
  for (const std::string& note : report.notes) text += "\n" + note + "\n";
  return text;
}

std::string plan_json(const PlanReport& report) {
  ordered_json object = {{"schema_version", 2},
                         {"model", report.model},
                         {"device", report.device},
                         {"cpu", report.cpu},
                         {"numbers", ordered_json::array()},
                         {"formulas", report.formulas},
                         {"plans", ordered_json::array()},
                         {"deadline_s", json_or_null(report.deadline_s)},
                         {"meets_deadline", json_or_null(report.meets_deadline)},
                         {"notes", report.notes}};
  for (const PlanNumber& number : report.numbers)
    object["numbers"].push_back(plan_part_json(number));
  for (const FleetPlan& plan : report.plans) object["plans"].push_back(plan_part_json(plan));
  return object.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace wnpu::app
