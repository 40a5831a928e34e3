// transcribe --manifest: the rows of a file, or a shard of them, to a file of results that a later
// run can go on with.
#pragma once

#include "app/jobs/run.h"
#include "app/options/options.h"

namespace wnpu::app {

// The process' exit code. Throws what exit_code_of() knows.
int transcribe_manifest(const Options& options, const Environment& environment);

}  // namespace wnpu::app
