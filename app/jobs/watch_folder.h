// transcribe --watch: a folder's recordings as they come.
#pragma once

#include "app/jobs/run.h"
#include "app/options/options.h"

namespace wnpu::app {

// Throws Error(audio) where options.watch is no folder, UsageError where a result would have the
// name of a recording or of another format's result, OutputError where results cannot be written.
void check_watched(const Options& options);

// Transcribes what is in options.watch and has not all of its results, then what comes, each file
// once nobody writes to it. A file's error is that file's, as in batches. Ends with a signal: the
// process' exit code. Throws Error(audio) where the folder is gone, and what ends a batch.
int watch_folder(const Options& options, const TranscribeFn& transcribe,
                 const Environment& environment);

}  // namespace wnpu::app
