// The cheap part of "can it be read".
#pragma once

#include <string>
#include <vector>

#include "app/output/output_plan.h"

namespace wnpu::app {

// Throws Error(audio) where the file cannot be opened, UsageError for a stdin that is a terminal.
void check_readable(const std::string& input);

// check_readable() for the one input of a batch of one, so that a wrong name does not cost the load
// of a model.
void check_only_input(const std::vector<PlannedInput>& plan);

}  // namespace wnpu::app
