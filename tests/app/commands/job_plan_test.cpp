// The arithmetic of a plan: machines, time, money.
#include "app/commands/plan/job_plan.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include <doctest/doctest.h>

#include "tests/few_samples.h"

using namespace wnpu;
using namespace wnpu::app;

namespace {

constexpr MachineFigures kMachine = {.processes = 4,
                                     .threads = 2,
                                     .start_s = 0.05,
                                     .read_s = 0.25,
                                     .load_s = 0.2,
                                     .process_bytes = 300 << 20,
                                     .price_hour = 0.5};

std::vector<double> log_normal(std::size_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::lognormal_distribution<double> duration(2, 1.3);
  std::vector<double> durations(n);
  for (double& each : durations) each = std::clamp(duration(random), 0.1, 1800.0);
  return durations;
}

RowCost noisy_cost(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> factor(0.8, 1.2);
  std::vector<MeasuredRow> rows;
  for (const double duration : {1.0, 4.0, 9.0, 22.0, 31.0, 100.0, 700.0}) {
    const RowSize size = RowSize::of(duration);
    rows.push_back({duration, factor(random) * (0.3 * size.windows + 0.02 * size.seconds)});
  }
  return RowCost::of(rows);
}

void check_figures(const FleetPlan& plan, const JobPlanner& planner,
                   const MachineFigures& machine) {
  CHECK(plan.machines >= 1);
  CHECK(plan.shards <= plan.machines * machine.processes);
  CHECK(plan.shards > (plan.machines - 1) * machine.processes);  // none is idle
  CHECK(plan.cores == plan.shards * machine.threads);
  CHECK(plan.wall_s == doctest::Approx(machine.start_s + planner.machine().read_s + machine.load_s +
                                       plan.shard_s));
  CHECK(plan.shard_s * static_cast<double>(plan.shards) >= planner.work_s() * (1 - 1e-9));
  CHECK(plan.shard_s >= std::min(planner.longest_row_s(), planner.work_s()) * (1 - 1e-9));
  CHECK(plan.shard_s <= planner.work_s() * (1 + 1e-9));
  CHECK(plan.machine_hours ==
        doctest::Approx(static_cast<double>(plan.machines) * plan.wall_s / 3600));
  REQUIRE(plan.money);
  CHECK(*plan.money == doctest::Approx(plan.machine_hours * *machine.price_hour));
  CHECK(plan.efficiency > 0);
  CHECK(plan.efficiency <= 1 + 1e-9);
  CHECK(plan.wall_slow_s >= plan.wall_s);
}

}  // namespace

TEST_CASE("plan: figures fit together, for jobs and machines of every size") {
  for (const std::size_t n : {1U, 2U, 7U, 64U, 3000U}) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const std::vector<double> durations = log_normal(n, seed);
      const RowCost cost = noisy_cost(seed);
      for (const std::optional<double> hours : {std::optional<double>(), {0.001}, {1e6}}) {
        const Job job{durations, hours};
        const JobPlanner planner(job, cost, kMachine);
        CAPTURE(n);
        CAPTURE(hours.value_or(0));
        for (const std::size_t machines : {1U, 2U, 3U, 10U, 1000U}) {
          check_figures(planner.on(machines), planner, kMachine);
        }
      }
    }
  }
}

TEST_CASE("plan: twice the machines are never slower, and of hours of such rows one more is not") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const std::vector<double> durations = log_normal(1 + seed * seed, seed);
    const RowCost cost = noisy_cost(seed);
    const Job manifest{durations};
    const JobPlanner exact(manifest, cost, kMachine);
    for (std::size_t machines = 1; machines < 600; machines *= 2) {
      CHECK(exact.on(2 * machines).wall_s <= exact.on(machines).wall_s * (1 + 1e-12));
    }
    const Job hours{durations, 0.5 * static_cast<double>(seed)};
    const JobPlanner planner(hours, cost, kMachine);
    for (std::size_t machines = 1; machines < 200; ++machines) {
      CHECK(planner.on(machines + 1).wall_s <= planner.on(machines).wall_s * (1 + 1e-12));
    }
  }
}

TEST_CASE("plan: hours of rows in any order are about what such a manifest's shards are") {
  const std::vector<double> part = log_normal(2000, 1);
  const std::vector<double> whole = log_normal(20000, 2);
  const double hours = std::accumulate(whole.begin(), whole.end(), 0.0) / 3600;
  const RowCost cost = noisy_cost(1);
  const Job manifest{whole};
  const Job estimate{part, hours};
  const JobPlanner exact(manifest, cost, kMachine);
  const JobPlanner planner(estimate, cost, kMachine);
  for (const std::size_t machines : {1U, 4U, 16U, 64U}) {
    CHECK(planner.on(machines).wall_s == doctest::Approx(exact.on(machines).wall_s).epsilon(0.25));
  }
}

TEST_CASE("plan: 10^7 rows and 10^6 machines") {
  const std::vector<double> durations = log_normal(10'000'000 / tests::kSampleShare, 1);
  const RowCost cost = noisy_cost(1);
  const Job job{durations};
  const JobPlanner planner(job, cost, kMachine);
  check_figures(planner.on(1), planner, kMachine);
  check_figures(planner.on(1'000'000), planner, kMachine);
  CHECK(planner.on(1).efficiency > 0.99);
}

TEST_CASE("plan: as few machines as end in time, and one fewer do not") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const std::vector<double> durations = log_normal(4000, seed);
    const RowCost cost = noisy_cost(seed);
    const Job job{durations, 100.0};
    const JobPlanner planner(job, cost, kMachine);
    for (const double deadline_s : {1e7, 36000.0, 7200.0, 1000.0}) {
      const FleetPlan plan = planner.within(deadline_s);
      if (plan.wall_slow_s > deadline_s) {
        CHECK(plan.machines == planner.most_machines());
        continue;
      }
      if (plan.machines > 1) CHECK(planner.on(plan.machines - 1).wall_slow_s > deadline_s);
    }
  }
}
