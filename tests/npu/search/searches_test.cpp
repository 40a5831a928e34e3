// The searches against all there is: on a space that can be gone through whole they find what is
// best of it with a quarter of the evaluations, and more of it than chance finds.
#include "npu/search/searches.h"

#include <algorithm>
#include <string>

#include <doctest/doctest.h>

#include "npu/search/variant_cost.h"

using namespace wnpu::npu;  // NOLINT

namespace {

// Three layers, of Whisper's frames.
VariantSpace small_space() {
  VariantSpace space;
  space.whole = {1500, 256, 4, 1024, 3};
  space.poolings = {1, 2};
  space.heads = {4, 2, 1};
  space.hidden = {1024, 512};
  space.precisions = {Precision::bf16, Precision::int8};
  return space;
}

constexpr double kMostMs = 16;
// The limit, what the whole encoder takes, and all gone.
constexpr Objectives kWorst{kMostMs, 14, 1};

// As a search has them: by a predictor, with a limit of the time.
class Costs {
 public:
  explicit Costs(const VariantSpace& space)
      : space_(space), costs_(space.whole, find_preset(kDefaultPreset), &predictors().back(), 2) {}

  std::vector<Outcome> operator()(std::span<const EncoderVariant> variants) {
    const std::vector<VariantCost> costs = costs_.costs(variants);
    std::vector<Outcome> outcomes;
    for (std::size_t i = 0; i < variants.size(); ++i) {
      const double kept = share_kept(space_.whole, variants[i]);
      outcomes.push_back({{costs[i].ms, costs[i].memory_mb(), 1 - kept},
                          std::max(0.0, costs[i].ms / kMostMs - 1)});
    }
    return outcomes;
  }

 private:
  const VariantSpace& space_;
  VariantCosts costs_;
};

double room_of(const Trials& trials) {
  std::vector<Objectives> front;
  const std::vector<Outcome> outcomes = trials.outcomes();
  for (const std::size_t i : pareto_front(outcomes)) front.push_back(outcomes[i].objectives);
  return hypervolume(front, kWorst);
}

// The share of the hypervolume of all there is that a method finds, seed by seed.
struct Shares {
  double least = 1;
  double mean = 0;
};

Shares shares_of(SearchMethod method, const Evaluate& evaluate, const VariantSpace& space,
                 std::size_t evaluations, double room) {
  constexpr int kSeeds = 3;
  Shares shares;
  for (int seed = 1; seed <= kSeeds; ++seed) {
    Trials trials(space, evaluate, {evaluations});
    search_by(method, trials, static_cast<std::uint64_t>(seed));
    CHECK(trials.all().size() == evaluations);
    CHECK(trials.end() == SearchEnd::evaluations);
    const double share = room_of(trials) / room;
    shares.least = std::min(shares.least, share);
    shares.mean += share / kSeeds;
  }
  MESSAGE(method_name(method), ", ", evaluations, " evaluations: hypervolume ", shares.mean,
          " of all, at least ", shares.least);
  return shares;
}

// Costs that need no array: the least of the space is the fastest, and keeps the least.
std::vector<Outcome> plain_costs(std::span<const EncoderVariant> variants) {
  std::vector<Outcome> outcomes;
  for (const EncoderVariant& variant : variants) {
    double size = 0;
    for (const LayerVariant& l : variant.layers) {
      size += static_cast<double>(l.heads * 64 + l.hidden) * (1 + static_cast<double>(l.layer));
    }
    const double ms = size / static_cast<double>(variant.pooling);
    outcomes.push_back({{ms, size, -size - ms}, std::max(0.0, ms / 3000 - 1)});
  }
  return outcomes;
}

}  // namespace

TEST_CASE("search: a quarter of a small space finds its best, and more than chance does") {
  const VariantSpace space = small_space();
  Costs costs(space);
  const Evaluate evaluate = [&](std::span<const EncoderVariant> v) { return costs(v); };
  Trials all(space, evaluate, {});
  search_everything(all);
  REQUIRE(static_cast<double>(all.all().size()) == space.size());
  CHECK(all.end() == SearchEnd::space);
  const double room = room_of(all);
  REQUIRE(room > 0);
  const auto shares = [&](SearchMethod method, std::size_t part) {
    return shares_of(method, evaluate, space, all.all().size() / part, room);
  };
  const double chance = shares(SearchMethod::random, 4).mean;
  for (const SearchMethod method : {SearchMethod::evolution, SearchMethod::bayesian}) {
    const Shares found = shares(method, 4);
    CHECK(found.least >= 0.98);
    CHECK(found.mean > chance);
  }
  // With fewer evaluations the process of the objectives is worth its time, and evolution is not.
  CHECK(shares(SearchMethod::bayesian, 10).mean > shares(SearchMethod::random, 10).mean + 0.01);
}

TEST_CASE("search: the same seed looks at the same, another at others, whatever the threads") {
  const VariantSpace space = small_space();
  for (const SearchMethod method :
       {SearchMethod::evolution, SearchMethod::bayesian, SearchMethod::random}) {
    std::vector<std::vector<Genes>> looked_at;
    for (const auto& [seed, threads] : {std::pair{7U, 1U}, {7U, 3U}, {8U, 1U}}) {
      VariantCosts costs(space.whole, find_preset(kDefaultPreset), predictors().data(), threads);
      const Evaluate evaluate = [&](std::span<const EncoderVariant> variants) {
        std::vector<Outcome> outcomes;
        for (const VariantCost& cost : costs.costs(variants)) {
          outcomes.push_back({{cost.ms, cost.memory_mb(), -cost.ms}, 0});
        }
        return outcomes;
      };
      Trials trials(space, evaluate, {60});
      search_by(method, trials, static_cast<std::uint64_t>(seed));
      looked_at.emplace_back();
      for (const Trial& trial : trials.all()) looked_at.back().push_back(trial.genes);
    }
    CHECK(looked_at[0] == looked_at[1]);
    CHECK(looked_at[0] != looked_at[2]);
  }
}

TEST_CASE("search: every method ends, and looks at nothing twice, where the space is small") {
  VariantSpace space = small_space();
  space.whole.layers = 2;
  space.hidden = {1024};
  const Evaluate evaluate = plain_costs;
  for (std::size_t m = 0; m < kSearchMethodNames.size(); ++m) {
    for (const std::size_t evaluations : {1U, 5U, 17U, 1000U}) {
      Trials trials(space, evaluate, {evaluations});
      search_by(static_cast<SearchMethod>(m), trials, 3);
      std::vector<Genes> rows;
      for (const Trial& trial : trials.all()) rows.push_back(trial.genes);
      std::ranges::sort(rows);
      CHECK(std::ranges::adjacent_find(rows) == rows.end());
      CHECK(static_cast<double>(rows.size()) ==
            std::min(static_cast<double>(evaluations), space.size()));
      if (evaluations == 1000) CHECK(trials.end() == SearchEnd::space);
    }
  }
}

TEST_CASE("search: a time that is up ends it, and says so") {
  const VariantSpace space = small_space();
  const Evaluate evaluate = plain_costs;
  Trials trials(space, evaluate, {1000000, std::chrono::duration<double>(0)});
  search_by_evolution(trials, 1);
  CHECK(trials.all().size() < 100);  // the first generation
  CHECK(trials.end() == SearchEnd::time);
}

TEST_CASE("search: methods have names") {
  for (const std::string_view name : kSearchMethodNames) {
    CHECK(method_name(find_method(name).value()) == name);
  }
  CHECK(!find_method("annealing"));
}
