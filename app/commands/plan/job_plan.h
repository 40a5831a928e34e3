// How many machines a job wants, how long it takes them, and what that costs: arithmetic alone.
// README.md has it in words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "app/commands/plan/row_cost.h"

namespace wnpu::app {

inline constexpr double kHourS = 3600;

// All rows of the job.
class JobSize {
 public:
  // The rows of a manifest in their order, by their seconds; not empty. With `hours` the job is as
  // many hours of rows like them, in any order.
  explicit JobSize(std::vector<double> durations_s, std::optional<double> hours = std::nullopt);

  double rows() const { return scale_ * static_cast<double>(durations_s_.size()); }
  RowSize size() const { return {scale_ * sum_.windows, scale_ * sum_.seconds}; }
  double squared_windows() const { return scale_ * squared_windows_; }
  double longest_s() const { return longest_s_; }
  // Whether the job is the manifest itself, so that its shards are known.
  bool is_exact() const { return is_exact_; }
  std::span<const double> durations_s() const { return durations_s_; }

 private:
  std::vector<double> durations_s_;
  RowSize sum_;
  double squared_windows_ = 0;
  double longest_s_ = 0;
  double scale_ = 1;
  bool is_exact_ = true;
};

// Known figures of the machines.
struct MachineFigures {
  std::size_t processes = 1;         // at work at once, a shard each
  std::size_t threads = 1;           // of a process
  double start_s = 0;                // of a process, until it reads the manifest
  double read_s = 0;                 // of the manifest
  double load_s = 0;                 // of the model
  std::uint64_t process_bytes = 0;   // memory
  std::optional<double> price_hour;  // of a machine
};

struct TimeRange {
  double low_s = 0;
  double high_s = 0;
};

// The job on so many machines.
struct FleetPlan {
  std::size_t machines = 0;  // that have something to do
  std::size_t shards = 0;    // one a process
  std::size_t cores = 0;
  double shard_s = 0;  // work of the shard that has most
  double wall_s = 0;
  std::optional<TimeRange> wall_95;  // none: the sample is too small to say
  double machine_hours = 0;
  std::optional<double> money;
  double efficiency = 0;  // work of all rows, by what all processes could have done meanwhile
};

class JobPlanner {
 public:
  // `job` and `cost` outlive it.
  JobPlanner(const JobSize& job, const RowCost& cost, const MachineFigures& machine);

  const JobSize& job() const { return job_; }
  const RowCost& cost() const { return cost_; }
  const MachineFigures& machine() const { return machine_; }
  double work_s() const { return work_s_; }
  double longest_row_s() const;
  double row_deviation_s() const;  // of rows' work
  // On `machines`, at least 1, or as many as there are rows for.
  FleetPlan on(std::size_t machines) const;
  // On as few as end within `deadline_s`, by the end of the interval where there is one; on as many
  // as there are rows for where none do.
  FleetPlan within(double deadline_s) const;
  bool is_within(const FleetPlan& plan, double deadline_s) const;
  // As many as there are rows for.
  std::size_t most_machines() const;

 private:
  double longest_shard_s(std::size_t shards) const;
  TimeRange shard_95(const FleetPlan& plan) const;

  const JobSize& job_;
  const RowCost& cost_;
  MachineFigures machine_;
  double work_s_ = 0;
  double row_variance_ = 0;  // of rows' work, seconds^2
};

}  // namespace wnpu::app
