// What of a run is chosen so that it keeps within --memory-limit on the host.
#pragma once

#include <cstdint>

#include "app/choices/memory_need.h"
#include "app/cli/options.h"

namespace wnpu::app {

struct ThreadCounts {
  std::size_t used = 1;
  std::size_t most = 1;  // that this process could use
};

// Of the run that the options ask for, with the precision that `auto` stands for.
WorkSize work_of(const Options& options, std::size_t threads);

// Where options.device.memory_limit is too little for that: first less log-mel is kept of a file,
// then fewer windows are decoded together, both without another text, then a precision that takes
// less is taken, where `auto` was asked for: one that would do with the most threads, else the
// least, so that text does not depend on how many are used. What was chosen, and how much the run
// takes at most, is in options.choices. Throws Error(resources), with the smallest limit that would
// do.
void fit_memory(const ModelFacts& model, const ThreadCounts& threads, Options& options);

}  // namespace wnpu::app
