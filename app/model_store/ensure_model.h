// Preparation before the first file: the model is there, packed for this build, and the run keeps
// within its memory.
#pragma once

#include "app/options/options.h"
#include "app/system/progress.h"

namespace wnpu::app {

// Pulls a model that is missing (app/model_store/hub/offer.h), makes a packed file anew that does
// not fit (app/model_store/packed_file.h), and bounds memory (memory_fit.h) where the CPU computes;
// with
// --verbose it says what was chosen. Under a limit no packed file is made anew: that takes memory
// of its own. Throws ModelError, Error.
void ensure_model(Options& options, Messages& messages);

}  // namespace wnpu::app
