#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

#include "npu/search/gaussian_process.h"
#include "npu/search/searches.h"

namespace wnpu::npu {
namespace {

// Largest number of points that a Gaussian process learns from: its work grows with their cube.
constexpr std::size_t kMostPoints = 200;
// Rows that are compared by what they promise, for one that is looked at.
constexpr std::size_t kNearCandidates = 100;
constexpr std::size_t kFarCandidates = 40;
constexpr std::size_t kParents = 12;

// Weight of the objectives' sum, beside the largest of them (ParEGO's rho).
constexpr double kSumShare = 0.05;
// Weight of a miss of the limits, as a share of them, beside objectives of about 1.
constexpr double kMissShare = 4;
// How often an outcome is drawn of what processes know of it.
constexpr std::size_t kDrawn = 12;

struct Scale {
  Objectives low{};
  Objectives high{};
};

// Times, bytes and losses span orders of magnitude.
constexpr double kLeastLoss = 1e-2;
Objectives even(const Objectives& o) {
  return {std::log(std::max(o[0], 1e-9)), std::log(std::max(o[1], 1e-9)),
          std::log(std::max(o[2], 0.0) + kLeastLoss)};
}

Scale scale_of(const std::vector<Trial>& trials) {
  Scale scale;
  scale.low.fill(std::numeric_limits<double>::infinity());
  scale.high.fill(-std::numeric_limits<double>::infinity());
  for (const Trial& trial : trials) {
    if (trial.outcome.violation > 0) continue;
    const Objectives o = even(trial.outcome.objectives);
    for (std::size_t i = 0; i < kObjectives; ++i) {
      scale.low[i] = std::min(scale.low[i], o[i]);
      scale.high[i] = std::max(scale.high[i], o[i]);
    }
  }
  return scale;
}

// The objectives, evened, as one number to be made small.
struct OneNumber {
  Objectives weights{};
  Scale scale;

  double of(const Objectives& o, double violation) const {
    double largest = 0;
    double sum = 0;
    for (std::size_t i = 0; i < kObjectives; ++i) {
      const double range = scale.high[i] - scale.low[i];
      const double share = range > 0 ? weights[i] * (o[i] - scale.low[i]) / range : 0;
      largest = std::max(largest, share);
      sum += share;
    }
    return largest + kSumShare * sum + kMissShare * std::max(0.0, violation);
  }
};

// Functions that Gaussian processes model: the objectives, evened, and the violation.
constexpr std::size_t kFunctions = kObjectives + 1;
using Draw = std::array<double, kFunctions>;

// Random number from the normal distribution (Box and Muller).
double normal(SearchRandom& random) {
  return std::sqrt(-2 * std::log(1 - unit(random))) * std::cos(2 * std::numbers::pi * unit(random));
}

// By how much an outcome that is drawn is better than the best.
double improvement(const std::vector<GaussianProcess::Estimate>& known, const Draw& draw,
                   const OneNumber& number, double best) {
  Draw drawn{};
  for (std::size_t i = 0; i < kFunctions; ++i) {
    drawn[i] = known[i].mean + known[i].deviation * draw[i];
  }
  return std::max(0.0, best - number.of({drawn[0], drawn[1], drawn[2]}, drawn[kObjectives]));
}

class Bayesian {
 public:
  Bayesian(Trials& trials, std::uint64_t seed) : trials_(trials), random_(seed) {
    const double size = trials.space().size();
    const auto budget = static_cast<double>(trials.budget().evaluations);
    n_first_ = static_cast<std::size_t>(std::clamp(std::min(budget, size) / 5, 6.0, 24.0));
    n_together_ = static_cast<std::size_t>(std::clamp(std::min(budget, size) / 40, 2.0, 8.0));
  }

  void run() {
    trials_.look_at(first_rows());
    while (trials_.has_room()) {
      const std::vector<Genes> rows = next_rows();
      trials_.look_at(rows);
    }
  }

 private:
  std::vector<Genes> first_rows() {
    const VariantSpace& space = trials_.space();
    std::vector<Genes> rows{whole_genes(space)};
    if (const Genes least = least_genes(space); least != rows.front()) rows.push_back(least);
    while (rows.size() < n_first_) {
      std::optional<Genes> genes = trials_.unknown(random_, rows);
      if (!genes) break;
      rows.push_back(std::move(*genes));
    }
    return rows;
  }

  // On a simplex, all of it as likely.
  Objectives random_weights() {
    Objectives weights{};
    for (double& w : weights) w = -std::log(1 - unit(random_));
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (double& w : weights) w /= sum;
    return weights;
  }

  // The trials that processes learn of: the front, then what meets the limits, the latest first.
  // Not what the array cannot run, unless there is nothing else.
  std::vector<std::size_t> points() const {
    const std::vector<Trial>& all = trials_.all();
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].outcome.violation < kRefusedVariant) places.push_back(i);
    }
    if (places.size() <= kMostPoints) return places;
    std::vector<bool> is_front(all.size(), false);
    for (const std::size_t place : pareto_front(trials_.outcomes())) is_front[place] = true;
    const auto rank = [&](std::size_t place) {
      const bool meets = all[place].outcome.violation <= 0;
      return std::pair(is_front[place] ? 0 : meets ? 1 : 2, all.size() - place);
    };
    std::ranges::sort(places, {}, rank);
    places.resize(kMostPoints);
    std::ranges::sort(places);
    return places;
  }

  std::vector<Genes> next_rows() {
    const std::vector<std::size_t> places = points();
    std::vector<Genes> rows;
    if (places.empty()) {
      if (std::optional<Genes> genes = trials_.unknown(random_)) rows.push_back(std::move(*genes));
      return rows;
    }
    GaussianProcess::Points known;
    std::vector<std::vector<double>> values(kFunctions);
    for (const std::size_t place : places) {
      const Trial& trial = trials_.all()[place];
      known.push_back(features(trials_.space(), trial.genes));
      const Objectives o = even(trial.outcome.objectives);
      for (std::size_t i = 0; i < kObjectives; ++i) values[i].push_back(o[i]);
      values[kObjectives].push_back(trial.outcome.violation);
    }
    GaussianProcess process(std::move(known));
    process.set(values);
    const Scale scale = scale_of(trials_.all());
    while (rows.size() < n_together_) {
      std::optional<Genes> next = next_row(places, process, scale, rows);
      if (!next) break;
      rows.push_back(std::move(*next));
    }
    return rows;
  }

  std::vector<Draw> random_draws() {
    std::vector<Draw> draws(kDrawn);
    for (Draw& draw : draws) std::ranges::generate(draw, [&] { return normal(random_); });
    return draws;
  }

  // Row with the largest expected improvement for random weights; empty if none is left.
  std::optional<Genes> next_row(const std::vector<std::size_t>& places,
                                const GaussianProcess& process, const Scale& scale,
                                const std::vector<Genes>& planned) {
    const OneNumber number{random_weights(), scale};
    std::vector<double> values;
    for (const std::size_t place : places) {
      const Outcome& outcome = trials_.all()[place].outcome;
      values.push_back(number.of(even(outcome.objectives), outcome.violation));
    }
    std::vector<Genes> candidates = near(places, values, planned);
    for (std::size_t i = 0; i < kFarCandidates; ++i) {
      std::optional<Genes> genes = trials_.unknown(random_, planned);
      if (!genes) break;
      candidates.push_back(std::move(*genes));
    }
    const std::vector<Draw> draws = random_draws();
    const double best = *std::ranges::min_element(values);
    std::optional<Genes> chosen;
    double most = -1;
    for (Genes& genes : candidates) {
      const auto known = process.at(features(trials_.space(), genes));
      double promise = 0;
      for (const Draw& draw : draws) promise += improvement(known, draw, number, best);
      if (promise <= most) continue;
      most = promise;
      chosen = std::move(genes);
    }
    return chosen;
  }

  // Changes of what is best by these values.
  std::vector<Genes> near(const std::vector<std::size_t>& places, const std::vector<double>& values,
                          const std::vector<Genes>& planned) {
    std::vector<std::size_t> order(places.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return values[i]; });
    order.resize(std::min(order.size(), kParents));
    const auto parent = [&]() -> const Genes& {
      return trials_.all()[places[order[below(random_, order.size())]]].genes;
    };
    std::vector<Genes> rows;
    for (std::size_t i = 0; i < kNearCandidates; ++i) {
      Genes genes = parent();
      if (below(random_, 3) == 0) genes = crossed(trials_.space(), genes, parent(), random_);
      genes = mutated(trials_.space(), std::move(genes), random_);
      const bool is_planned = std::ranges::find(planned, genes) != planned.end();
      if (!is_planned && !trials_.knows(genes)) rows.push_back(std::move(genes));
    }
    return rows;
  }

  Trials& trials_;
  SearchRandom random_;
  std::size_t n_first_;
  std::size_t n_together_;
};

}  // namespace

void search_bayesian(Trials& trials, std::uint64_t seed) { Bayesian(trials, seed).run(); }

}  // namespace wnpu::npu
