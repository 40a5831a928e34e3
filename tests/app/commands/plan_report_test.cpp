// Reports of `whisper-npu plan`.
#include "app/commands/plan/plan_report.h"

#include <algorithm>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "tests/support/json_schema.h"

using namespace wnpu;
using namespace wnpu::app;
using nlohmann::json;

namespace {

PlanReport plan_report_of(std::size_t n_rows, std::optional<double> price) {
  const std::vector<double> durations(n_rows, 12.5);
  const Job job{durations};
  std::vector<MeasuredRow> rows;
  for (std::size_t i = 0; i < std::min<std::size_t>(n_rows, 8); ++i) {
    rows.push_back({12.5, 0.5 + 0.01 * static_cast<double>(i)});
  }
  const RowCost cost = RowCost::of(rows);
  const MachineFigures machine = {.processes = 2,
                                  .threads = 2,
                                  .start_s = 0.1,
                                  .load_s = 0.2,
                                  .process_bytes = 1000,
                                  .price_hour = price};
  const JobPlanner planner(job, cost, machine);
  PlanReport report;
  report.model = "m\xff";
  report.device = "cpu";
  report.cpu = "a CPU";
  for (const Source source : {Source::measured, Source::manifest, Source::given, Source::assumed}) {
    report.numbers.push_back({"window_s", 0.123456, "s", source, "a window"});
  }
  report.formulas = plan_formulas(true);
  for (const std::size_t machines : {1U, 2U, 4U}) report.plans.push_back(planner.on(machines));
  return report;
}

}  // namespace

TEST_CASE("plan report: the schema has the sources of numbers") {
  CHECK(json(tests::enums_of(tests::schema_of("app/commands/plan/plan.schema.json"))) ==
        json({{"numbers/source", tests::enum_of(kSourceNames)}}));
}

TEST_CASE("plan report: text has every number, formula and plan on a line of its own") {
  PlanReport report = plan_report_of(100, 0.5);
  const std::string text = plan_text(report);
  const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n'));
  // Heading, two headings of tables, three empty lines.
  CHECK(lines == 6 + report.numbers.size() + report.formulas.size() + report.plans.size());
  for (const std::string& formula : report.formulas) CHECK(text.find(formula) != std::string::npos);
  for (const std::string_view source : kSourceNames) {
    CHECK(text.find(source) != std::string::npos);
  }
  CHECK(text.find("money\n") != std::string::npos);
  CHECK(plan_text(plan_report_of(100, std::nullopt)).find("  money\n") == std::string::npos);
  report.deadline_s = 60;
  report.meets_deadline = false;
  CHECK(plan_text(report).find("within 60.0 s: no, on no number of machines") != std::string::npos);
}
