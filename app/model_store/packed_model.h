// A model's packed file: weights as they came beside what this machine's kernels multiply by.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "models/base/folder.h"
#include "models/files/model_file.h"
#include "models/weights/precision.h"

namespace wnpu::app {

struct PackedOrder {
  std::vector<models::Precision> precisions;  // to pack for
  std::string made_by;                        // the program, for people
  std::string source_sha256;                  // of the file with the weights
};

// Writes one of `file`, whatever its format. A packed one is packed anew; its source stays what it
// was. Throws ModelError, and what the sink throws.
void write_packed_model(models::ModelFile& file, const PackedOrder& order, std::size_t n_threads,
                        const models::Sink& sink);

// Misfit of a packed file with this machine, for people: "it was packed for AVX2, here is AVX3_DL".
// Empty: it fits, or OpenBLAS multiplies, which asks nothing of it.
std::string misfit(const models::PackedOrigin& origin, models::Precision precision);

// The precisions that it has, by names that this program knows.
std::vector<models::Precision> packed_precisions(const models::PackedOrigin& origin);

}  // namespace wnpu::app
