// How often a plan's interval of 95 % has the time in it that the job then takes: by simulation,
// with rows of many lengths that differ as rows of speech do.
#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include "app/commands/plan/job_plan.h"
#include "app/commands/plan/job_sample.h"
#include "tests/few_samples.h"

using namespace wnpu;
using namespace wnpu::app;

namespace {

using JobRandom = std::mt19937_64;

// Ratio of a row's time to what rows of its length take.
using Factor = std::function<double(JobRandom&)>;

struct Kind {
  const char* name;
  Factor factor;
};

Factor log_normal_factor(double sigma) {
  return [sigma](JobRandom& random) {
    return std::lognormal_distribution<double>(-sigma * sigma / 2, sigma)(random);
  };
}

// Some rows take several times what others do, and those differ a little.
Factor mixed(double share, double times) {
  return [share, times](JobRandom& random) {
    const bool is_slow = std::bernoulli_distribution(share)(random);
    return (is_slow ? times : 1.0) * log_normal_factor(0.15)(random);
  };
}

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> kKinds = {
      {"even", log_normal_factor(0.05)},    {"wide", log_normal_factor(0.5)},
      {"skewed", log_normal_factor(1)},     {"a hundredth slow", mixed(0.01, 6)},
      {"a twentieth slow", mixed(0.05, 5)}, {"a fifth slow", mixed(0.2, 4)}};
  return kKinds;
}

struct Coverage {
  int n_inside = 0;
  int n_below = 0;
  double half_widths = 0;  // of the intervals, by what was planned, summed
};

struct JobSetting {
  std::size_t n_rows;
  std::size_t sample;
  std::size_t machines;
};

void draw(const JobSetting& setting, const Factor& factor, JobRandom& random, Coverage& coverage) {
  std::lognormal_distribution<double> length(2.5, 1.1);
  std::vector<double> durations(setting.n_rows);
  for (double& each : durations) each = std::clamp(length(random), 0.5, 600.0);
  std::vector<double> work_s;
  for (const double duration : durations) {
    const RowSize size = RowSize::of(duration);
    work_s.push_back(factor(random) * (0.4 * size.windows + 0.03 * size.seconds));
  }
  std::vector<MeasuredRow> measured;
  for (const std::size_t row : stratified_sample(durations, setting.sample)) {
    measured.push_back({durations[row], work_s[row]});
  }
  const JobSize job(durations);
  const RowCost cost(measured);
  const JobPlanner planner(job, cost, {});
  const FleetPlan plan = planner.on(setting.machines);
  const double drift = std::uniform_real_distribution(0.95, 1.05)(random);
  std::vector<double> shards(setting.machines);
  for (std::size_t row = 0; row < work_s.size(); ++row) {
    shards[row % shards.size()] += drift * work_s[row];
  }
  const double taken_s = *std::ranges::max_element(shards);
  REQUIRE(plan.wall_95);
  coverage.n_inside += plan.wall_95->low_s <= taken_s && taken_s <= plan.wall_95->high_s ? 1 : 0;
  coverage.n_below += taken_s < plan.wall_95->low_s ? 1 : 0;
  coverage.half_widths += (plan.wall_95->high_s - plan.wall_95->low_s) / plan.wall_s / 2;
}

}  // namespace

TEST_CASE("plan: the interval of 95 % has the time of the job in it" *
          doctest::skip(wnpu::tests::kFewSamples)) {
  constexpr int kDraws = 1000;
  for (const JobSetting& setting :
       {JobSetting{250, 16, 1}, {250, 32, 1}, {250, 32, 8}, {40, 32, 1}}) {
    JobRandom random(7);
    for (const Kind& kind : kinds()) {
      Coverage coverage;
      for (int i = 0; i < kDraws; ++i) draw(setting, kind.factor, random, coverage);
      const double half_width = coverage.half_widths / kDraws;
      INFO(kind.name, ": ", setting.sample, " of ", setting.n_rows, " rows, ", setting.machines,
           " machines: ", coverage.n_inside, " inside, ", coverage.n_below, " below, half width ",
           half_width);
      CHECK(coverage.n_inside >= 0.93 * kDraws);
      CHECK(half_width < 1.5);  // what holds everything says nothing
    }
  }
}
