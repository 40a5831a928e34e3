#include "npu/search/searches.h"

#include <algorithm>

namespace wnpu::npu {
namespace {

constexpr std::size_t kTogether = 64;  // that are worked out at a time

}  // namespace

std::string_view method_name(SearchMethod method) {
  return kSearchMethodNames[static_cast<std::size_t>(method)];
}

std::optional<SearchMethod> find_method(std::string_view name) {
  const auto* const found = std::ranges::find(kSearchMethodNames, name);
  if (found == kSearchMethodNames.end()) return std::nullopt;
  return static_cast<SearchMethod>(found - kSearchMethodNames.begin());
}

void search_at_random(Trials& trials, std::uint64_t seed) {
  SearchRandom random(seed);
  while (trials.has_room()) {
    std::vector<Genes> rows;
    while (rows.size() < kTogether) {
      std::optional<Genes> genes = trials.unknown(random, rows);
      if (!genes) break;
      rows.push_back(std::move(*genes));
    }
    trials.look_at(rows);
  }
}

void search_everything(Trials& trials) {
  std::vector<Genes> rows;
  for_each_variant(trials.space(), [&](const Genes& genes) {
    rows.push_back(genes);
    if (rows.size() == kTogether) {
      trials.look_at(rows);
      rows.clear();
    }
    return trials.has_room();
  });
  trials.look_at(rows);
}

void search_by(SearchMethod method, Trials& trials, std::uint64_t seed) {
  switch (method) {
    case SearchMethod::evolution:
      return search_by_evolution(trials, seed);
    case SearchMethod::bayesian:
      return search_bayesian(trials, seed);
    case SearchMethod::random:
      return search_at_random(trials, seed);
    case SearchMethod::exhaustive:
      return search_everything(trials);
  }
}

}  // namespace wnpu::npu
