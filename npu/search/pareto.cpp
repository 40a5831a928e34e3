#include "npu/search/pareto.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace wnpu::npu {
namespace {

struct Flat {
  double x = 0;
  double y = 0;
};

// The area between points and (worst.x, worst.y).
double area(std::vector<Flat> points, Flat worst) {
  std::ranges::sort(points, {}, [](const Flat& p) { return std::pair(p.x, p.y); });
  double sum = 0;
  double top = worst.y;
  for (const Flat& p : points) {
    if (p.y >= top) continue;
    sum += (worst.x - p.x) * (top - p.y);
    top = p.y;
  }
  return sum;
}

constexpr std::size_t kNoRank = std::numeric_limits<std::size_t>::max();

// By one that has no rank either.
bool is_beaten(std::span<const Outcome> outcomes, const std::vector<std::size_t>& ranks,
               std::size_t i) {
  for (std::size_t j = 0; j < outcomes.size(); ++j) {
    if (ranks[j] == kNoRank && dominates(outcomes[j], outcomes[i])) return true;
  }
  return false;
}

}  // namespace

bool dominates(const Outcome& one, const Outcome& other) {
  if (one.violation != other.violation) return one.violation < other.violation;
  bool is_better = false;
  for (std::size_t i = 0; i < kObjectives; ++i) {
    if (one.objectives[i] > other.objectives[i]) return false;
    is_better = is_better || one.objectives[i] < other.objectives[i];
  }
  return is_better;
}

std::vector<std::size_t> pareto_front(std::span<const Outcome> outcomes) {
  std::vector<std::size_t> front;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (outcomes[i].violation > 0) continue;
    const auto beats = [&](std::size_t j) {
      return dominates(outcomes[j], outcomes[i]) ||
             outcomes[j].objectives == outcomes[i].objectives;
    };
    if (std::ranges::any_of(front, beats)) continue;
    std::erase_if(front, [&](std::size_t j) { return dominates(outcomes[i], outcomes[j]); });
    front.push_back(i);
  }
  return front;
}

std::vector<std::size_t> pareto_ranks(std::span<const Outcome> outcomes) {
  std::vector<std::size_t> ranks(outcomes.size(), kNoRank);
  std::size_t n_ranked = 0;
  for (std::size_t rank = 0; n_ranked < outcomes.size(); ++rank) {
    std::vector<std::size_t> members;
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      if (ranks[i] == kNoRank && !is_beaten(outcomes, ranks, i)) members.push_back(i);
    }
    for (const std::size_t i : members) ranks[i] = rank;
    n_ranked += members.size();
  }
  return ranks;
}

std::vector<double> crowding_distances(std::span<const Outcome> outcomes,
                                       std::span<const std::size_t> members) {
  std::vector<double> distances(members.size(), 0.0);
  std::vector<std::size_t> order(members.size());
  for (std::size_t k = 0; k < kObjectives; ++k) {
    const auto value = [&](std::size_t at) { return outcomes[members[at]].objectives[k]; };
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, value);
    if (order.empty()) break;
    const double range = value(order.back()) - value(order.front());
    if (!(range > 0)) continue;
    distances[order.front()] = distances[order.back()] = std::numeric_limits<double>::infinity();
    for (std::size_t i = 1; i + 1 < order.size(); ++i) {
      distances[order[i]] += (value(order[i + 1]) - value(order[i - 1])) / range;
    }
  }
  return distances;
}

std::vector<double> own_volumes(std::span<const Outcome> outcomes,
                                std::span<const std::size_t> members) {
  std::vector<Objectives> points;
  for (const std::size_t member : members) points.push_back(outcomes[member].objectives);
  for (std::size_t k = 0; k < kObjectives && !points.empty(); ++k) {
    const auto value = [k](const Objectives& p) { return p[k]; };
    const double low = std::ranges::min(points, {}, value)[k];
    const double range = std::ranges::max(points, {}, value)[k] - low;
    for (Objectives& p : points) p[k] = range > 0 ? (p[k] - low) / range : 0;
  }
  constexpr Objectives kWorst{1.1, 1.1, 1.1};
  const double all = hypervolume(points, kWorst);
  std::vector<double> own;
  for (std::size_t i = 0; i < points.size(); ++i) {
    std::vector<Objectives> others = points;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    own.push_back(all - hypervolume(std::move(others), kWorst));
  }
  return own;
}

double hypervolume(std::vector<Objectives> points, const Objectives& worst) {
  std::erase_if(points, [&](const Objectives& p) {
    return p[0] >= worst[0] || p[1] >= worst[1] || p[2] >= worst[2];
  });
  std::ranges::sort(points, {}, [](const Objectives& p) { return p[2]; });
  // Slices between neighbouring values of the last objective.
  double volume = 0;
  std::vector<Flat> seen;
  for (std::size_t i = 0; i < points.size(); ++i) {
    seen.push_back({points[i][0], points[i][1]});
    const double end = i + 1 < points.size() ? points[i + 1][2] : worst[2];
    if (end > points[i][2]) volume += (end - points[i][2]) * area(seen, {worst[0], worst[1]});
  }
  return volume;
}

}  // namespace wnpu::npu
