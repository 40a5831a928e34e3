// Packed model files on disk: made, and made anew where they do not fit.
#pragma once

#include <filesystem>
#include <vector>

#include "app/options/options.h"
#include "app/system/progress.h"
#include "models/weights/precision.h"

namespace wnpu::app {

// Writes a packed file of the model at `model`, for these precisions; an old `file` is replaced in
// one step, or with `is_new` kept: NameTaken. Throws ModelError, OutputError.
void write_packed_file(const std::filesystem::path& model, const std::filesystem::path& file,
                       const std::vector<models::Precision>& precisions, std::size_t n_threads,
                       bool is_new);

// Before the model of a run is loaded. Where it is a packed file of another build, for another
// instruction set or without the precision that is asked for, it is made anew in its place, with
// what it had and what is asked for; a note says why. A file that may not be written (chmod a-w),
// and one that another process is making anew just now, is left alone. Whatever fails is a note:
// the model is then packed in memory, as any other.
void renew_packed_model(const Options& options, Messages& messages);

}  // namespace wnpu::app
