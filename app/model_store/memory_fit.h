// Choice of a run's settings so that it keeps within --memory-limit on the host.
#pragma once

#include <cstdint>

#include "app/model_store/memory_need.h"
#include "app/options/options.h"

namespace wnpu::app {

struct ThreadCounts {
  std::size_t used = 1;
  std::size_t most = 1;  // that this process could use
};

// Work size of the run that the options ask for, with the precision that `auto` stands for.
WorkSize work_of(const Options& options, std::size_t threads);

// Shrinks a run that does not fit into options.device.memory_limit: first less log-mel is kept of a
// file, then fewer windows are decoded together, both without another text, then, if `auto` was
// asked for, a smaller precision is taken: one that would do with the most threads, else the
// smallest, so that text does not depend on how many are used. The choices, and the most memory
// that the run takes, are in options.choices. Throws Error(resources), with the smallest limit that
// would do.
void fit_memory(const ModelFacts& model, const ThreadCounts& threads, Options& options);

}  // namespace wnpu::app
