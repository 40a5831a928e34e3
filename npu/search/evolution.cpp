#include <algorithm>
#include <numeric>

#include "npu/search/searches.h"

namespace wnpu::npu {
namespace {

// Generation size as a share of the budget's evaluations: few generations learn little, and small
// ones have little to choose from.
std::size_t generation_size(const Trials& trials) {
  const double size = trials.space().size();
  const auto budget = static_cast<double>(trials.budget().evaluations);
  return static_cast<std::size_t>(std::clamp(std::min(budget, size) / 40, 4.0, 48.0));
}

// Members of a rank that are compared by their own volumes.
constexpr std::size_t kMostWeighed = 100;

// How many times a child that is known already is changed again before chance makes another.
constexpr int kChanges = 20;

class Evolution {
 public:
  Evolution(Trials& trials, std::uint64_t seed)
      : trials_(trials), random_(seed), size_(generation_size(trials)) {}

  void run() {
    add(first_generation());
    while (trials_.has_room()) {
      rank();
      add(children());
    }
  }

 private:
  // The ends of the space, and chance.
  std::vector<Genes> first_generation() {
    const VariantSpace& space = trials_.space();
    std::vector<Genes> rows;
    for (std::size_t pooling = 0; pooling < space.poolings.size(); ++pooling) {
      rows.push_back(whole_genes(space));
      rows.back()[0] = static_cast<std::uint8_t>(pooling);
    }
    if (const Genes least = least_genes(space); least != rows.front()) rows.push_back(least);
    while (rows.size() < size_) {
      std::optional<Genes> genes = trials_.unknown(random_, rows);
      if (!genes) break;
      rows.push_back(std::move(*genes));
    }
    return rows;
  }

  void add(const std::vector<Genes>& rows) {
    for (const std::size_t place : trials_.look_at(rows)) population_.push_back(place);
  }

  // Keeps one of all variants with the same outcome.
  void drop_twins() {
    std::vector<std::size_t> kept;
    for (const std::size_t place : population_) {
      const auto is_twin = [&](std::size_t other) {
        return trials_.all()[other].outcome == trials_.all()[place].outcome;
      };
      if (std::ranges::none_of(kept, is_twin)) kept.push_back(place);
    }
    population_ = std::move(kept);
  }

  // Keeps the best of the population, best first: all that nothing beats, for there are many where
  // the objectives are three.
  void rank() {
    drop_twins();
    std::vector<Outcome> outcomes;
    for (const std::size_t place : population_) {
      outcomes.push_back(trials_.all()[place].outcome);
    }
    const std::vector<std::size_t> ranks = pareto_ranks(outcomes);
    std::vector<double> room(outcomes.size(), 0.0);
    for (std::size_t r = 0; r < outcomes.size(); ++r) {
      std::vector<std::size_t> members;
      for (std::size_t i = 0; i < ranks.size(); ++i) {
        if (ranks[i] == r) members.push_back(i);
      }
      const std::vector<double> distances = room_of(outcomes, members);
      for (std::size_t i = 0; i < members.size(); ++i) room[members[i]] = distances[i];
    }
    std::vector<std::size_t> order(outcomes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {},
                             [&](std::size_t i) { return std::pair(ranks[i], -room[i]); });
    const auto n_front = static_cast<std::size_t>(std::ranges::count(ranks, std::size_t{0}));
    order.resize(std::min(order.size(), std::max(size_, n_front)));
    std::vector<std::size_t> kept;
    kept.reserve(order.size());
    for (const std::size_t i : order) kept.push_back(population_[i]);
    population_ = std::move(kept);
  }

  // How much a variant of the population stands alone: by the volume that is its alone, as long as
  // that is quick to find.
  static std::vector<double> room_of(const std::vector<Outcome>& outcomes,
                                     const std::vector<std::size_t>& members) {
    return members.size() <= kMostWeighed ? own_volumes(outcomes, members)
                                          : crowding_distances(outcomes, members);
  }

  // The better of two.
  const Genes& parent() {
    const std::size_t place =
        std::min(below(random_, population_.size()), below(random_, population_.size()));
    return trials_.all()[population_[place]].genes;
  }

  std::vector<Genes> children() {
    const VariantSpace& space = trials_.space();
    std::vector<Genes> rows;
    while (rows.size() < size_) {
      const auto is_old = [&](const Genes& genes) {
        return trials_.knows(genes) || std::ranges::find(rows, genes) != rows.end();
      };
      const Genes& one = parent();
      Genes child = below(random_, 2) == 0 ? one : crossed(space, one, parent(), random_);
      child = mutated(space, child, random_);
      for (int i = 0; i < kChanges && is_old(child); ++i) child = mutated(space, child, random_);
      if (!is_old(child)) {
        rows.push_back(std::move(child));
        continue;
      }
      std::optional<Genes> other = trials_.unknown(random_, rows);
      if (!other) break;
      rows.push_back(std::move(*other));
    }
    return rows;
  }

  Trials& trials_;
  SearchRandom random_;
  std::size_t size_;
  std::vector<std::size_t> population_;  // places among the trials
};

}  // namespace

void search_by_evolution(Trials& trials, std::uint64_t seed) { Evolution(trials, seed).run(); }

}  // namespace wnpu::npu
