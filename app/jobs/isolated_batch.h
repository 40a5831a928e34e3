// A batch in a process of its own, a worker, so that a file which kills the process does not take
// the others with it.
#pragma once

#include <functional>
#include <vector>

#include "app/jobs/run.h"
#include "app/options/options.h"
#include "app/output/output_plan.h"

namespace wnpu::app {

// Does what `progress` leaves to do of the batch. Returns its exit code, when it has said what went
// wrong: what it throws kills the worker.
using BatchFn = std::function<int(BatchProgress& progress)>;

// Whether the worker is wanted: as --isolate says, and for auto where there are several inputs.
bool is_isolated(const Options& options);

// Runs `batch` in a worker process, forked from this one, which may have no threads. Where the
// worker dies in a file, the file is reported and counted as failed, and a new worker goes on with
// the next. Where `batch` returns, its exit code is the result. Signals are passed on to the
// worker; it dies with this process. Throws std::system_error where no process can be started.
int run_isolated(const Options& options, const std::vector<PlannedInput>& plan,
                 const BatchFn& batch, const Environment& environment);

}  // namespace wnpu::app
