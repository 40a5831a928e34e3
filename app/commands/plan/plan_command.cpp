#include "app/commands/plan/plan_command.h"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <string>

#include <CLI/CLI.hpp>

#include "app/commands/plan/job_plan.h"
#include "app/commands/plan/manifest_rows.h"
#include "app/commands/plan/measure.h"
#include "app/commands/plan/plan_report.h"
#include "app/engine/available_cpus.h"
#include "app/jobs/process.h"
#include "app/model_store/ensure_model.h"
#include "app/options/exit_code.h"
#include "app/options/option_values.h"
#include "app/options/work_options.h"
#include "app/system/machine.h"
#include "app/system/progress.h"
#include "app/system/write_all.h"
#include "models/base/stage_timer.h"

namespace wnpu::app {
namespace {

constexpr Range<double> kHours = {1e-6, 1e9};
constexpr Range<double> kPrice = {0, 1e9};
constexpr Range<std::uint64_t> kMachines = {1, 1'000'000};
constexpr Range<std::uint64_t> kProcesses = {1, 1024};
constexpr Range<std::uint64_t> kSample = {1, 10'000};
constexpr std::size_t kMostInTable = 64;  // machines, where nobody says how many

struct PlanOrder {
  Options work;  // with the manifest
  std::optional<double> hours;
  std::size_t sample = 32;
  std::size_t machines = 0;   // 0: not given
  std::size_t processes = 0;  // 0: as many as the CPUs are enough for
  std::optional<double> deadline_h;
  std::optional<double> price_hour;
  bool is_json = false;
};

void add_optional(CLI::App& app, const std::string& name, std::optional<double>& target,
                  const Range<double>& range, const std::string& help) {
  app.add_option_function<std::string>(
         name,
         [&target, name, range](const std::string& text) {
           target = parse_number(name, text, {range});
         },
         help)
      ->type_name("X");
}

void add_count(CLI::App& app, const std::string& name, std::size_t& target,
               const Range<std::uint64_t>& range, const std::string& help) {
  app.add_option_function<std::string>(
         name,
         [&target, name, range](const std::string& text) {
           target = parse_integer(name, text, {range});
         },
         help)
      ->type_name("N");
}

void add_plan_options(CLI::App& app, PlanOrder& order) {
  add_group(app, "The job", [&] {
    app.add_option("--manifest", order.work.manifest.file,
                   "Rows, JSON lines as transcribe --manifest takes them, each with its duration")
        ->type_name("IN.jsonl")
        ->configurable(false);
    add_optional(app, "--hours", order.hours, kHours,
                 "The job is so many hours of rows like those of the manifest; if not given, the "
                 "manifest itself");
    add_integer(app, "--sample", order.sample, {kSample}, "Rows that are measured");
  });
  add_group(app, "The machines, which are taken to be like this one", [&] {
    add_count(app, "--machines", order.machines, kMachines,
              "How many; if not given, a table of 1, 2, 4, ...");
    add_optional(app, "--deadline", order.deadline_h, kHours,
                 "As many as are done within so many hours");
    add_count(app, "--processes", order.processes, kProcesses,
              "Of a machine, a shard each; if not given, as many as its CPUs are enough for");
    add_optional(app, "--price-per-hour", order.price_hour, kPrice, "Of a machine");
    app.add_flag("--json", order.is_json,
                 "JSON on stdout, by plan.schema.json (in share/whisper-npu/schemas)");
  });
  add_work_options(app, order.work);
  add_row_options(app, order.work.rows);
  add_pull_options(app, order.work);
}

void check_order(const PlanOrder& order) {
  if (order.work.manifest.file.empty()) throw UsageError("plan: --manifest is required");
  if (order.machines != 0 && order.deadline_h) {
    throw UsageError("--machines and --deadline exclude each other");
  }
}

std::vector<PlanNumber> numbers_of(const PlanOrder& order, const JobPlanner& planner,
                                   std::size_t n_measured) {
  const RowCost& cost = planner.cost();
  const MachineFigures& machine = planner.machine();
  const Source of_job = order.hours ? Source::given : Source::manifest;
  std::vector<PlanNumber> numbers = {
      {"rows", std::round(planner.rows()), "", of_job, "recordings or stretches of them"},
      {"audio_s", planner.size().seconds, "s", of_job, "of all rows"},
      {"windows", std::round(planner.size().windows), "", of_job,
       "of 30 s that they fill, in part or whole"},
      {"longest_s", planner.longest_s(), "s", Source::manifest, "audio of the longest row"},
      {"sample", static_cast<double>(n_measured), "", Source::measured, "rows that were measured"},
      {"window_s", cost.window_s, "s", Source::measured, "work of a row for each of its windows"},
      {"second_s", cost.second_s, "s", Source::measured, "work of a row for each second of audio"},
      {"spread", cost.spread, "", Source::measured,
       "standard deviation of the measured rows from that, by their mean"},
      {"work_s", planner.work_s(), "s", Source::measured, "work of all rows, one process"},
      {"start_s", machine.start_s, "s", Source::measured, "of a process"},
      {"read_s", machine.read_s, "s", Source::measured,
       "of the manifest, which each process reads twice"},
      {"load_s", machine.load_s, "s", Source::measured, "of the model"},
      {"memory", static_cast<double>(machine.process_bytes), "bytes", Source::measured,
       "of a process at most"},
      {"processes", static_cast<double>(machine.processes), "",
       order.processes ? Source::given : Source::assumed,
       "of a machine, measured at work together"},
      {"threads", static_cast<double>(machine.threads), "",
       order.work.threads ? Source::given : Source::assumed, "of a process"}};
  if (machine.price_hour) {
    numbers.push_back({"price_hour", *machine.price_hour, "", Source::given, "of a machine"});
  }
  return numbers;
}

std::vector<FleetPlan> plans_of(const PlanOrder& order, const JobPlanner& planner) {
  if (order.deadline_h) return {planner.within(*order.deadline_h * kHourS)};
  if (order.machines != 0) return {planner.on(order.machines)};
  std::vector<FleetPlan> plans;
  for (std::size_t machines = 1; machines <= kMostInTable; machines *= 2) {
    if (!plans.empty() && plans.back().machines == planner.most_machines()) break;
    plans.push_back(planner.on(machines));
  }
  return plans;
}

std::vector<std::string> notes_of(const PlanOrder& order, const ManifestRows& rows,
                                  const Measurement& measurement, const MachineFigures& machine,
                                  const Machine& here) {
  std::vector<std::string> notes;
  if (!rows.bad_lines.empty()) {
    notes.push_back(order.work.manifest.file +
                    ": left out: " + std::to_string(rows.bad_lines.size()) +
                    " rows that cannot be read, the first in line " +
                    std::to_string(rows.bad_lines.front()) + ": " + rows.first_fault);
  }
  if (measurement.n_failed > 0) {
    notes.push_back("measured rows that failed, and are planned as the others: " +
                    std::to_string(measurement.n_failed) +
                    ", the first: " + measurement.first_failure);
  }
  const std::uint64_t limit =
      std::min(here.memory_bytes, here.memory_limit_bytes.value_or(here.memory_bytes));
  if (machine.process_bytes * machine.processes > limit) {
    notes.push_back(
        "the processes of a machine want more memory together than this one has, or "
        "share the model's pages");
  }
  return notes;
}

MachineFigures machine_of(const PlanOrder& order) {
  const std::size_t cpus = available_cpus();
  MachineFigures machine;
  machine.threads = order.work.threads != 0 ? order.work.threads : cpus;
  machine.processes = std::max<std::size_t>(1, cpus / machine.threads);
  if (order.processes != 0) machine.processes = order.processes;
  machine.price_hour = order.price_hour;
  return machine;
}

int print_plan(const PlanOrder& order, const PlanReport& report) {
  print_report(order.is_json ? plan_json(report) : plan_text(report));
  return static_cast<int>(report.meets_deadline == false ? ExitCode::some_failed : ExitCode::ok);
}

int plan(const PlanOrder& order, const std::vector<std::string>& /*files*/) {
  check_order(order);
  MachineFigures machine = machine_of(order);
  machine.start_s = process_age_s();
  const std::string& file = order.work.manifest.file;
  const ManifestRows rows = read_manifest(file);
  const Job job{rows.durations_s, order.hours};
  const std::vector<std::size_t> sample = sample_rows(rows.durations_s, order.sample);
  const auto start = models::Clock::now();
  MeasureRequest measure{std::filesystem::absolute(file).parent_path(),
                         lines_of_rows(file, sample),
                         {},
                         machine.processes};
  machine.read_s = 2 * models::seconds_since(start);
  for (const std::size_t row : sample) measure.durations_s.push_back(rows.durations_s[row]);
  Options work = order.work;
  Messages messages(std::cerr, work.verbosity, false);
  ensure_model(work, messages);
  const Measurement measured = measure_rows(work, environment_of_process(work), measure);
  if (measured.code != 0) return measured.code;
  machine.load_s = measured.load_s;
  machine.process_bytes = measured.process_bytes;
  const JobPlanner planner(job, RowCost::of(measured.rows), machine);
  const Machine here = describe_machine();
  PlanReport report;
  report.model = order.work.model;
  report.device = order.work.device.requested;
  report.cpu = here.cpu;
  report.numbers = numbers_of(order, planner, measured.rows.size());
  report.formulas = plan_formulas(!order.hours);
  report.plans = plans_of(order, planner);
  report.notes = notes_of(order, rows, measured, machine, here);
  if (order.deadline_h) {
    report.deadline_s = *order.deadline_h * kHourS;
    report.meets_deadline = report.plans.front().wall_slow_s <= *report.deadline_s;
  }
  return print_plan(order, report);
}

}  // namespace

Subcommand plan_command() {
  return subcommand("plan", "Machines, time and money of a large job, from a few of its rows",
                    add_plan_options, plan);
}

}  // namespace wnpu::app
