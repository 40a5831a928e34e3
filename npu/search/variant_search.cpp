#include "npu/search/variant_search.h"

#include <algorithm>
#include <cstdio>
#include <set>

namespace wnpu::npu {
namespace {

double missed_by(double found, const std::optional<double>& most) {
  return most ? std::max(0.0, found / *most - 1) : 0.0;
}

class VariantSearch {
 public:
  explicit VariantSearch(const VariantSearchOptions& options)
      : options_(options),
        predicted_(options.space.whole, options.preset, options.predictor, options.threads),
        exact_(options.space.whole, options.preset, nullptr, options.threads),
        evaluate_([this](std::span<const EncoderVariant> variants) { return outcomes(variants); }),
        trials_(options_.space, evaluate_, options.budget) {}

  VariantSearchResult run() {
    search_by(options_.method, trials_, options_.seed);
    result_.whole = member(whole_variant(options_.space.whole), 0);
    settle();
    if (result_.front.empty()) result_.nearest = nearest();
    result_.n_looked_at = trials_.all().size();
    result_.space_size = options_.space.size();
    result_.end = trials_.end();
    result_.refused_layers = predicted_.refusals();
    result_.refused_layers.merge(exact_.refusals());
    for (const Trial& trial : trials_.all()) {
      if (trial.outcome.violation > 0) continue;
      ++result_.n_within;
      result_.seen.push_back(trial.outcome.objectives);
    }
    return std::move(result_);
  }

 private:
  Outcome outcome_of(const VariantCost& cost, double loss) const {
    if (!cost.refusal.empty()) return {{}, kRefusedVariant};
    return {{cost.ms, cost.memory_mb(), loss},
            missed_by(cost.ms, options_.most_ms) + missed_by(cost.memory_mb(), options_.most_mb)};
  }

  std::vector<double> losses(std::span<const EncoderVariant> variants) const {
    if (options_.losses) return options_.losses(variants);
    std::vector<double> gone;
    for (const EncoderVariant& v : variants)
      gone.push_back(1 - share_kept(options_.space.whole, v));
    return gone;
  }

  std::vector<Outcome> outcomes(std::span<const EncoderVariant> variants) {
    const std::vector<VariantCost> costs = predicted_.costs(variants);
    const std::vector<double> lost = losses(variants);
    std::vector<Outcome> outcomes;
    for (std::size_t i = 0; i < variants.size(); ++i) {
      outcomes.push_back(outcome_of(costs[i], lost[i]));
    }
    return outcomes;
  }

  // `loss` as it was found before.
  Member member(const EncoderVariant& variant, double loss) {
    return {variant, share_kept(options_.space.whole, variant), loss, predicted_.cost(variant).ms,
            exact_.cost(variant)};
  }

  // Selects at most most_members of the front by the predictor, those with the most room around
  // them.
  std::vector<std::size_t> chosen(const std::set<std::size_t>& dropped) const {
    std::vector<Outcome> outcomes = trials_.outcomes();
    for (const std::size_t place : dropped) outcomes[place].violation = kRefusedVariant;
    std::vector<std::size_t> front = pareto_front(outcomes);
    while (front.size() > options_.most_members) {
      const std::vector<double> room = crowding_distances(outcomes, front);
      front.erase(front.begin() + (std::ranges::min_element(room) - room.begin()));
    }
    return front;
  }

  std::string why_not(const VariantCost& cost) const {
    if (!cost.refusal.empty()) return "the array cannot run it: " + cost.refusal;
    std::array<char, 120> text{};
    if (missed_by(cost.ms, options_.most_ms) > 0) {
      std::snprintf(text.data(), text.size(), "simulated %.3f ms, more than %.3f", cost.ms,
                    *options_.most_ms);
    } else if (missed_by(cost.memory_mb(), options_.most_mb) > 0) {
      std::snprintf(text.data(), text.size(), "%.2f MB with its control programs, more than %.2f",
                    cost.memory_mb(), *options_.most_mb);
    }
    return text.data();
  }

  // Until all that are chosen are what the predictor took them for.
  void settle() {
    std::set<std::size_t> dropped;
    std::vector<Member> members;
    while (true) {
      const std::vector<std::size_t> places = chosen(dropped);
      std::vector<EncoderVariant> variants;
      variants.reserve(places.size());
      for (const std::size_t place : places) {
        variants.push_back(variant_of(options_.space, trials_.all()[place].genes));
      }
      exact_.costs(variants);
      members.clear();
      const std::size_t n_before = dropped.size();
      for (std::size_t i = 0; i < places.size(); ++i) {
        members.push_back(member(variants[i], trials_.all()[places[i]].outcome.objectives.back()));
        const std::string reason = why_not(members.back().exact);
        if (reason.empty()) continue;
        dropped.insert(places[i]);
        result_.dropped.push_back({variants[i], reason});
      }
      if (dropped.size() == n_before) break;
    }
    keep_unbeaten(members);
  }

  // By the simulator one may beat another that it did not beat by the predictor.
  void keep_unbeaten(const std::vector<Member>& members) {
    std::vector<Outcome> outcomes;
    outcomes.reserve(members.size());
    for (const Member& m : members) outcomes.push_back(outcome_of(m.exact, m.loss));
    std::vector<std::size_t> front = pareto_front(outcomes);
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (std::ranges::find(front, i) != front.end()) continue;
      result_.dropped.push_back({members[i].variant, "beaten by another once both are simulated"});
    }
    for (const std::size_t i : front) result_.front.push_back(members[i]);
    std::ranges::stable_sort(result_.front, {}, [](const Member& m) {
      return std::pair(m.exact.ms, m.exact.memory_bytes);
    });
  }

  // By how much the limits are missed; then the faster one.
  static std::pair<double, double> missed(const Outcome& outcome) {
    return {outcome.violation, outcome.objectives[0]};
  }

  std::optional<Member> nearest() {
    const std::vector<Trial>& all = trials_.all();
    std::set<std::size_t> refused;
    while (refused.size() < all.size()) {
      const Trial* best = nullptr;
      for (std::size_t i = 0; i < all.size(); ++i) {
        if (refused.contains(i) || all[i].outcome.violation >= kRefusedVariant) continue;
        if (best == nullptr || missed(all[i].outcome) < missed(best->outcome)) best = &all[i];
      }
      if (best == nullptr) return std::nullopt;
      Member found =
          member(variant_of(options_.space, best->genes), best->outcome.objectives.back());
      if (found.exact.refusal.empty()) return found;
      refused.insert(static_cast<std::size_t>(best - all.data()));
    }
    return std::nullopt;
  }

  const VariantSearchOptions& options_;
  VariantCosts predicted_;
  VariantCosts exact_;
  Evaluate evaluate_;
  Trials trials_;
  VariantSearchResult result_;
};

}  // namespace

VariantSearchResult search_variants(const VariantSearchOptions& options) {
  return VariantSearch(options).run();
}

}  // namespace wnpu::npu
