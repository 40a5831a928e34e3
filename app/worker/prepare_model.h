// What is done about a model before it is loaded.
#pragma once

#include "app/cli/options.h"

namespace wnpu::app {

// In the process that has the terminal, before others are forked: a model that is asked for by name
// and is not there is pulled where it may be, a packed one that does not fit is made anew. Throws
// ModelError.
void prepare_model(const Options& options);

}  // namespace wnpu::app
