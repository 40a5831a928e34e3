// --optimize-for: what is taken where the user has not said it.
#pragma once

#include <array>
#include <functional>
#include <string_view>

#include "app/options/options.h"

namespace wnpu::app {

inline constexpr std::array<std::string_view, 3> kGoalNames{"speed", "accuracy", "memory"};

// By the goal (app/model_store/README.md has the table), for all that was not given, be it on the command line, in
// the environment or a file: options that were given, and what they need, stay. What was chosen is
// in options.choices.
void optimize_for(std::string_view goal, const std::function<bool(std::string_view)>& is_given,
                  Options& options);

}  // namespace wnpu::app
