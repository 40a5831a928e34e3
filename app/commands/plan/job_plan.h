// How many machines a job wants, how long it takes them, and what that costs: arithmetic alone.
// README.md has it in words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "app/commands/plan/row_cost.h"

namespace wnpu::app {

inline constexpr double kHourS = 3600;

// The rows of a manifest in their order, by their seconds; not empty. With `hours` the job is as
// many hours of rows like them, in any order.
struct Job {
  std::vector<double> durations_s;
  std::optional<double> hours = std::nullopt;
};

// Known figures of the machines.
struct MachineFigures {
  std::size_t processes = 1;         // at work at once, a shard each
  std::size_t threads = 1;           // of a process
  double start_s = 0;                // of a process, until it reads the manifest
  double read_s = 0;                 // of the manifest, twice
  double load_s = 0;                 // of the model
  std::uint64_t process_bytes = 0;   // memory
  std::optional<double> price_hour;  // of a machine
};

// The job on so many machines.
struct FleetPlan {
  std::size_t machines = 0;  // that have something to do
  std::size_t shards = 0;    // one a process
  std::size_t cores = 0;
  double shard_s = 0;  // work of the shard that has most
  double wall_s = 0;
  double wall_slow_s = 0;  // where each row takes RowCost::spread more
  double machine_hours = 0;
  std::optional<double> money;
  double efficiency = 0;  // work of all rows, by what all processes could have done meanwhile
};

class JobPlanner {
 public:
  // `job` outlives it. The time to read the manifest grows with its hours.
  JobPlanner(const Job& job, const RowCost& cost, const MachineFigures& machine);

  const RowCost& cost() const { return cost_; }
  const MachineFigures& machine() const { return machine_; }
  double rows() const { return rows_; }
  RowSize size() const { return size_; }  // of all rows
  double longest_s() const { return longest_s_; }
  double work_s() const { return cost_.work_s(size_); }
  double longest_row_s() const { return cost_.work_s(RowSize::of(longest_s_)); }
  // On `machines`, at least 1, or as many as there are rows for.
  FleetPlan on(std::size_t machines) const;
  // On as few as end within `deadline_s` even where rows are slow; on as many as there are rows for
  // where none do.
  FleetPlan within(double deadline_s) const;
  // As many as there are rows for.
  std::size_t most_machines() const;

 private:
  double longest_shard_s(std::size_t shards) const;

  const Job& job_;
  RowCost cost_;
  MachineFigures machine_;
  double rows_ = 0;
  RowSize size_;
  double longest_s_ = 0;
};

}  // namespace wnpu::app
