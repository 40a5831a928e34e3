// --optimize-for: what is taken where the user has not said it.
#pragma once

#include <array>
#include <functional>
#include <string_view>

#include "app/options/options.h"

namespace wnpu::app {

inline constexpr std::array<std::string_view, 3> kGoalNames{"speed", "accuracy", "memory"};

// Chooses by the goal (table: app/model_store/README.md) what was not given on the command line, in
// the environment or a file: options that were given, and what they need, stay. Choices are in
// options.choices.
void optimize_for(std::string_view goal, const std::function<bool(std::string_view)>& is_given,
                  Options& options);

}  // namespace wnpu::app
