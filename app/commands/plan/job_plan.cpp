#include "app/commands/plan/job_plan.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace wnpu::app {
namespace {

constexpr double kMostShards = 1e9;  // beyond which nobody has machines, and numbers are exact

double as_double(std::size_t n) { return static_cast<double>(n); }

// Rows of a kind that the sample may lack: so many times the work of others of their length, where
// each window is decoded again at higher temperatures.
constexpr double kUnseenTimes = 4;
// Share by which machines may be slower or faster during the job than while the sample was
// measured.
constexpr double kDrift = 0.1;

// Expected largest of n normal deviates, roughly, in standard deviations.
double largest_of(std::size_t n) { return std::sqrt(2 * std::log(as_double(n))); }

}  // namespace

JobSize::JobSize(std::vector<double> durations_s, std::optional<double> hours)
    : durations_s_(std::move(durations_s)) {
  for (const double duration : durations_s_) {
    const RowSize size = RowSize::of(duration);
    sum_.windows += size.windows;
    sum_.seconds += size.seconds;
    squared_windows_ += size.windows * size.windows;
    longest_s_ = std::max(longest_s_, duration);
  }
  if (hours) {
    is_exact_ = false;
    scale_ = *hours * kHourS / sum_.seconds;
  }
}

JobPlanner::JobPlanner(const JobSize& job, const RowCost& cost, const MachineFigures& machine)
    : job_(job), cost_(cost), machine_(machine), work_s_(cost.work_s(job.size())) {
  const double mean = work_s_ / job.rows();
  for (const double duration : job.durations_s()) {
    const double off = cost.work_s(RowSize::of(duration)) - mean;
    row_variance_ += off * off;
  }
  row_variance_ /= as_double(job.durations_s().size());
}

double JobPlanner::longest_row_s() const { return cost_.work_s(RowSize::of(job_.longest_s())); }

double JobPlanner::row_deviation_s() const { return std::sqrt(row_variance_); }

std::size_t JobPlanner::most_machines() const {
  const double shards = std::clamp(std::ceil(job_.rows()), 1.0, kMostShards);
  return static_cast<std::size_t>(std::ceil(shards / as_double(machine_.processes)));
}

double JobPlanner::longest_shard_s(std::size_t shards) const {
  if (job_.is_exact()) {
    std::vector<double> work(shards);
    std::size_t shard = 0;
    for (const double duration : job_.durations_s()) {
      work[shard] += cost_.work_s(RowSize::of(duration));
      shard = shard + 1 == shards ? 0 : shard + 1;
    }
    return *std::ranges::max_element(work);
  }
  const double rows_each = job_.rows() / as_double(shards);
  const double even = work_s_ / as_double(shards);
  const double skew = row_deviation_s() * std::sqrt(rows_each) * largest_of(shards);
  return std::min(work_s_, std::max(longest_row_s(), even + skew));
}

FleetPlan JobPlanner::on(std::size_t machines) const {
  FleetPlan plan;
  plan.machines = std::min(machines, most_machines());
  const double rows = std::clamp(std::ceil(job_.rows()), 1.0, kMostShards);
  plan.shards = std::min(plan.machines * machine_.processes, static_cast<std::size_t>(rows));
  plan.cores = plan.shards * machine_.threads;
  plan.shard_s = longest_shard_s(plan.shards);
  const double fixed_s = machine_.start_s + machine_.read_s + machine_.load_s;
  plan.wall_s = fixed_s + plan.shard_s;
  if (cost_.has_errors()) {
    const TimeRange shard = shard_95(plan);
    plan.wall_95 = {fixed_s + shard.low_s, fixed_s + shard.high_s};
  }
  plan.machine_hours = as_double(plan.machines) * plan.wall_s / kHourS;
  if (machine_.price_hour) plan.money = plan.machine_hours * *machine_.price_hour;
  const double could_s = as_double(plan.shards) * plan.wall_s;
  plan.efficiency = could_s > 0 ? work_s_ / could_s : 1;
  return plan;
}

TimeRange JobPlanner::shard_95(const FleetPlan& plan) const {
  // The longest shard as a part of the job; all shards are off by the same in what is expected of
  // them, and each by its own.
  const double part = work_s_ > 0 ? plan.shard_s / work_s_ : 0;
  const RowSize size = job_.size();
  const double mean = cost_.mean_error_s({part * size.windows, part * size.seconds});
  const double own = cost_.own_error_s(part * job_.squared_windows());
  const double half = std::hypot(cost_.quantile() * std::hypot(mean, own), kDrift * plan.shard_s);
  // Rows of the job that were measured are no unseen ones.
  const double measured = std::min(1.0, as_double(cost_.rows()) / job_.rows());
  const double unseen = cost_.unseen_share() * (1 - measured);
  const double window_s = size.windows > 0 ? work_s_ / size.windows : 0;
  const double own_unseen = (kUnseenTimes - 1) * window_s *
                            std::sqrt(unseen * (1 - unseen) * part * job_.squared_windows());
  const double most = plan.shard_s + half + (kUnseenTimes - 1) * unseen * plan.shard_s +
                      std::hypot(own, own_unseen) * largest_of(plan.shards);
  return {std::max(0.0, plan.shard_s - half), most};
}

bool JobPlanner::is_within(const FleetPlan& plan, double deadline_s) const {
  return (plan.wall_95 ? plan.wall_95->high_s : plan.wall_s) <= deadline_s;
}

FleetPlan JobPlanner::within(double deadline_s) const {
  const std::size_t most = most_machines();
  // Twice as many are never slower: each shard becomes two.
  std::size_t high = 1;
  while (high < most && !is_within(on(high), deadline_s)) high = std::min(most, high * 2);
  std::size_t low = high / 2;  // is not, or is 0
  while (high - low > 1) {
    const std::size_t middle = low + (high - low) / 2;
    (is_within(on(middle), deadline_s) ? high : low) = middle;
  }
  return on(high);
}

}  // namespace wnpu::app
