// Words of two texts that are the same, in order: a text beside what was heard of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace wnpu::app {

// The least that is compared: a word, or a character of a language without spaces.
struct Atom {
  std::uint32_t key = 0;     // equal for equal text
  std::uint32_t weight = 0;  // of its match; short ones say little
  std::size_t word = 0;      // that it belongs to
};

// Cost of each stretch without matches between matches: a short word that is alone in what differs
// is no match.
inline constexpr int kGapCost = 9;

// (place in a, place in b) of equal atoms, both ascending: of the greatest sum of weights, less the
// cost of gaps. Memory is linear in both but for 16 MiB (Hirschberg 1975); time is their product.
std::vector<std::pair<std::size_t, std::size_t>> match_atoms(std::span<const Atom> a,
                                                             std::span<const Atom> b);

// 1: equal, 0: nothing in common; by Levenshtein's distance of bytes.
double similarity(std::string_view a, std::string_view b);

}  // namespace wnpu::app
