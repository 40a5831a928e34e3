// Ways to look for variants that no other beats: each looks at what Trials has room for, and the
// same seed looks at the same.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "npu/search/trials.h"

namespace wnpu::npu {

enum class SearchMethod { evolution, bayesian, random, exhaustive };
inline constexpr std::array<std::string_view, 4> kSearchMethodNames{"evolution", "bayesian",
                                                                    "random", "exhaustive"};
std::string_view method_name(SearchMethod method);
std::optional<SearchMethod> find_method(std::string_view name);

// After NSGA-II (Deb et al., 2002) and SMS-EMOA (Beume et al., 2007): what ranks first and stands
// alone has children, which take over where they are better. Limits come before objectives.
void search_by_evolution(Trials& trials, std::uint64_t seed);

// After ParEGO (Knowles, 2006): Gaussian processes of the objectives, which are one number by
// weights that change each time, and next the variant whose number is expected to improve on the
// best by the most.
void search_bayesian(Trials& trials, std::uint64_t seed);

// Baselines that the other methods are compared with.
void search_at_random(Trials& trials, std::uint64_t seed);
void search_everything(Trials& trials);

void search_by(SearchMethod method, Trials& trials, std::uint64_t seed);

}  // namespace wnpu::npu
