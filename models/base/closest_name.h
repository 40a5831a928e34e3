// "Did you mean": the name closest to a misspelt word, by edit distance.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace wnpu::models {

// How many letters must be put in, left out, replaced or exchanged with their neighbour to make one
// of the other.
std::size_t n_typos(std::string_view a, std::string_view b);

// The name with the fewest typos, the first of equals; empty where that is more than one in three
// letters of the word, and so another word.
std::string closest_name(std::string_view word, std::span<const std::string> names);

// "; did you mean --beam-size?"; empty where no name is close.
std::string suggestion(std::string_view word, std::span<const std::string> names);

}  // namespace wnpu::models
