// Which of several results, each a few numbers to be made small, are not beaten in all of them; and
// how much room they leave to a better one.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace wnpu::npu {

// Milliseconds, megabytes, and what is lost of the encoder: all as small as can be.
constexpr std::size_t kObjectives = 3;
using Objectives = std::array<double, kObjectives>;

// The violation of what the array cannot run: its objectives mean nothing.
constexpr double kRefusedVariant = 1e6;

struct Outcome {
  Objectives objectives{};
  // How far the limits are missed, as shares of them; 0: they are met.
  double violation = 0;

  bool operator==(const Outcome&) const = default;
};

// Meets the limits where the other does not, misses them by less, or is no worse in any objective
// and better in one.
bool dominates(const Outcome& one, const Outcome& other);

// Indexes, ascending: what meets the limits and is dominated by none; of equal ones the first.
std::vector<std::size_t> pareto_front(std::span<const Outcome> outcomes);

// The rank of each: 0 of the front, 1 of the front without those, ...
std::vector<std::size_t> pareto_ranks(std::span<const Outcome> outcomes);

// How far apart the neighbours of each of `members` are, summed over the objectives; infinite at
// their ends. (Deb et al., NSGA-II, 2002.)
std::vector<double> crowding_distances(std::span<const Outcome> outcomes,
                                       std::span<const std::size_t> members);

// The volume that each of `members` adds to that of the others, in shares of their ranges; the
// worst point is a tenth beyond them. (Beume et al., SMS-EMOA, 2007.)
std::vector<double> own_volumes(std::span<const Outcome> outcomes,
                                std::span<const std::size_t> members);

// The volume between `points` and a point that is worse than each in every objective; what is not
// better than that leaves none.
double hypervolume(std::vector<Objectives> points, const Objectives& worst);

}  // namespace wnpu::npu
