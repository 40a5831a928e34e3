// Report of `whisper-npu plan`: for people, and as JSON (plan.schema.json).
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/commands/plan/job_plan.h"

namespace wnpu::app {

// Source of a number.
enum class Source { measured, manifest, given, assumed };
inline constexpr std::array<std::string_view, 4> kSourceNames = {"measured", "manifest", "given",
                                                                 "assumed"};

// A number that the formulas use.
struct PlanNumber {
  std::string name;  // as the formulas have it
  double value = 0;
  std::string unit;  // empty: a number of things
  Source source = Source::assumed;
  std::string meaning;
};

struct PlanReport {
  std::string model;
  std::string device;
  std::string cpu;  // of the machine that measured
  std::vector<PlanNumber> numbers;
  std::vector<std::string> formulas;
  std::vector<FleetPlan> plans;  // by the number of machines
  std::optional<double> deadline_s;
  std::optional<bool> meets_deadline;  // that one plan does, where there is a deadline
  std::vector<std::string> notes;
};

// How a plan follows from the numbers; the longest shard is counted, or expected.
std::vector<std::string> plan_formulas(bool is_exact);

std::string plan_text(const PlanReport& report);
std::string plan_json(const PlanReport& report);

}  // namespace wnpu::app
