// Trials of a search, every variant once, and what is left of its budget.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "npu/search/pareto.h"
#include "npu/search/variant_space.h"

namespace wnpu::npu {

struct Trial {
  Genes genes;
  Outcome outcome;
};

// In the order of the variants.
using Evaluate = std::function<std::vector<Outcome>(std::span<const EncoderVariant>)>;

struct SearchBudget {
  std::size_t evaluations = std::numeric_limits<std::size_t>::max();
  // Results depend on the machine where this ends the search. None: no limit.
  std::optional<std::chrono::duration<double>> time = std::nullopt;
};

enum class SearchEnd { evaluations, time, space };

class Trials {
 public:
  // Both are kept and must outlive this. Throws std::invalid_argument for a space with a fault.
  Trials(const VariantSpace& space, const Evaluate& evaluate, const SearchBudget& budget);

  const VariantSpace& space() const { return space_; }
  const SearchBudget& budget() const { return budget_; }
  const std::vector<Trial>& all() const { return trials_; }
  std::vector<Outcome> outcomes() const;

  // Whether one more may be looked at.
  bool has_room() const;
  bool knows(const Genes& genes) const { return seen_.contains(genes); }
  // Evaluates the rows that are new, the first ones as far as the budget goes; their places in
  // all().
  std::vector<std::size_t> look_at(const std::vector<Genes>& rows);
  // By chance, one that is neither known nor among `planned`; none where there are no more.
  std::optional<Genes> unknown(SearchRandom& random, const std::vector<Genes>& planned = {}) const;

  // Once has_room() is false: why.
  SearchEnd end() const;

 private:
  bool is_time_up() const;
  bool is_space_seen() const { return static_cast<double>(trials_.size()) >= size_; }

  const VariantSpace& space_;
  const Evaluate& evaluate_;
  SearchBudget budget_;
  double size_;
  std::chrono::steady_clock::time_point start_;
  std::vector<Trial> trials_;
  std::set<Genes> seen_;
};

}  // namespace wnpu::npu
