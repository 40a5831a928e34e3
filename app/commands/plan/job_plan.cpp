#include "app/commands/plan/job_plan.h"

#include <algorithm>
#include <cmath>

namespace wnpu::app {
namespace {

constexpr double kMostShards = 1e9;  // beyond which nobody has machines, and numbers are exact

double as_double(std::size_t n) { return static_cast<double>(n); }

}  // namespace

JobPlanner::JobPlanner(const Job& job, const RowCost& cost, const MachineFigures& machine)
    : job_(job), cost_(cost), machine_(machine), rows_(as_double(job.durations_s.size())) {
  for (const double duration : job.durations_s) {
    const RowSize row = RowSize::of(duration);
    size_ = {size_.windows + row.windows, size_.seconds + row.seconds};
    longest_s_ = std::max(longest_s_, duration);
  }
  const double scale = job.hours ? *job.hours * kHourS / size_.seconds : 1;
  size_ = {scale * size_.windows, scale * size_.seconds};
  rows_ *= scale;
  machine_.read_s *= scale;
}

std::size_t JobPlanner::most_machines() const {
  const double shards = std::clamp(std::ceil(rows_), 1.0, kMostShards);
  return static_cast<std::size_t>(std::ceil(shards / as_double(machine_.processes)));
}

double JobPlanner::longest_shard_s(std::size_t shards) const {
  if (job_.hours) {
    return std::min(work_s(), work_s() / as_double(shards) + longest_row_s());
  }
  std::vector<double> work(shards);
  std::size_t shard = 0;
  for (const double duration : job_.durations_s) {
    work[shard] += cost_.work_s(RowSize::of(duration));
    shard = shard + 1 == shards ? 0 : shard + 1;
  }
  return *std::ranges::max_element(work);
}

FleetPlan JobPlanner::on(std::size_t machines) const {
  FleetPlan plan;
  plan.machines = std::min(machines, most_machines());
  const double rows = std::clamp(std::ceil(rows_), 1.0, kMostShards);
  plan.shards = std::min(plan.machines * machine_.processes, static_cast<std::size_t>(rows));
  plan.cores = plan.shards * machine_.threads;
  plan.shard_s = longest_shard_s(plan.shards);
  const double fixed_s = machine_.start_s + machine_.read_s + machine_.load_s;
  plan.wall_s = fixed_s + plan.shard_s;
  plan.wall_slow_s = fixed_s + (1 + cost_.spread) * plan.shard_s;
  plan.machine_hours = as_double(plan.machines) * plan.wall_s / kHourS;
  if (machine_.price_hour) plan.money = plan.machine_hours * *machine_.price_hour;
  const double could_s = as_double(plan.shards) * plan.wall_s;
  plan.efficiency = could_s > 0 ? work_s() / could_s : 1;
  return plan;
}

FleetPlan JobPlanner::within(double deadline_s) const {
  const std::size_t most = most_machines();
  // Twice as many are never slower: each shard becomes two.
  std::size_t high = 1;
  while (high < most && on(high).wall_slow_s > deadline_s) high = std::min(most, high * 2);
  std::size_t low = high / 2;  // is not, or is 0
  while (high - low > 1) {
    const std::size_t middle = low + (high - low) / 2;
    (on(middle).wall_slow_s <= deadline_s ? high : low) = middle;
  }
  return on(high);
}

}  // namespace wnpu::app
