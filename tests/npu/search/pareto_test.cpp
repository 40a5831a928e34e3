// Fronts, ranks and hypervolumes against what their definitions say, on random points.
#include "npu/search/pareto.h"

#include <algorithm>
#include <cmath>
#include <random>

#include <doctest/doctest.h>

using namespace wnpu::npu;  // NOLINT

namespace {

// Coordinates of a coarse grid, so that many are equal.
std::vector<Outcome> random_outcomes(std::mt19937& random, std::size_t n) {
  std::vector<Outcome> outcomes(n);
  for (Outcome& o : outcomes) {
    for (double& v : o.objectives) v = static_cast<double>(random() % 8);
    o.violation = random() % 3 == 0 ? static_cast<double>(random() % 4) : 0;
  }
  return outcomes;
}

// Cells of the grid that a point is no worse than in any objective.
double counted_volume(const std::vector<Objectives>& points, double worst) {
  double n = 0;
  for (double x = 0; x < worst; ++x) {
    for (double y = 0; y < worst; ++y) {
      for (double z = 0; z < worst; ++z) {
        bool is_beaten = false;
        for (const Objectives& p : points) {
          is_beaten = is_beaten || (p[0] <= x && p[1] <= y && p[2] <= z);
        }
        n += is_beaten ? 1 : 0;
      }
    }
  }
  return n;
}

}  // namespace

TEST_CASE("pareto: the front is what meets the limits and nothing beats") {
  std::mt19937 random(11);
  for (int round = 0; round < 200; ++round) {
    const std::vector<Outcome> all = random_outcomes(random, random() % 40);
    const std::vector<std::size_t> front = pareto_front(all);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const bool is_member = std::ranges::find(front, i) != front.end();
      bool is_beaten = all[i].violation > 0;
      bool has_twin_before = false;
      for (std::size_t j = 0; j < all.size(); ++j) {
        is_beaten = is_beaten || dominates(all[j], all[i]);
        has_twin_before = has_twin_before || (j < i && all[j].violation == all[i].violation &&
                                              all[j].objectives == all[i].objectives);
      }
      CHECK(is_member == (!is_beaten && !has_twin_before));
    }
    CHECK(std::ranges::is_sorted(front));
  }
}

TEST_CASE("pareto: a rank is one above the highest of what beats it") {
  std::mt19937 random(12);
  for (int round = 0; round < 50; ++round) {
    const std::vector<Outcome> all = random_outcomes(random, 1 + random() % 30);
    const std::vector<std::size_t> ranks = pareto_ranks(all);
    for (std::size_t i = 0; i < all.size(); ++i) {
      std::size_t expected = 0;
      for (std::size_t j = 0; j < all.size(); ++j) {
        if (dominates(all[j], all[i])) expected = std::max(expected, ranks[j] + 1);
      }
      CHECK(ranks[i] == expected);
    }
  }
}

TEST_CASE("pareto: limits that are met come before objectives") {
  const Outcome slow{{9, 9, 9}, 0};
  const Outcome fast{{1, 1, 1}, 0.1};
  CHECK(dominates(slow, fast));
  CHECK(!dominates(fast, slow));
  CHECK(!dominates(slow, slow));
  CHECK(pareto_front(std::vector{fast}).empty());
}

TEST_CASE("pareto: the hypervolume is the volume") {
  std::mt19937 random(13);
  for (int round = 0; round < 60; ++round) {
    std::vector<Objectives> points(random() % 12);
    for (Objectives& p : points) {
      for (double& v : p) v = static_cast<double>(random() % 9);
    }
    CHECK(hypervolume(points, {7, 7, 7}) == doctest::Approx(counted_volume(points, 7)));
  }
  CHECK(hypervolume({}, {1, 1, 1}) == 0);
}

TEST_CASE("pareto: what stands alone has the most room and the most volume") {
  const std::vector<Outcome> all{{{0, 8, 0}, 0}, {{1, 7, 0}, 0}, {{2, 6, 0}, 0},
                                 {{5, 3, 0}, 0}, {{8, 0, 0}, 0}, {{4, 4, 4}, 5}};
  const std::vector<std::size_t> members{0, 1, 2, 3, 4};
  const std::vector<double> room = crowding_distances(all, members);
  CHECK(std::isinf(room[0]));
  CHECK(std::isinf(room[4]));
  CHECK(room[1] < room[2]);
  CHECK(room[2] < room[3]);
  CHECK(crowding_distances(all, {}).empty());
  // In shares of the ranges, which are 8, 8 and none.
  const std::vector<double> volumes = own_volumes(all, members);
  CHECK(volumes[1] == doctest::Approx(0.125 * 0.125 * 1.1));
  CHECK(volumes[3] == doctest::Approx(0.375 * 0.375 * 1.1));
  CHECK(own_volumes(all, {}).empty());
}
