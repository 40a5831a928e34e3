// The rows of a manifest, as far as a plan wants them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace wnpu::app {

struct ManifestRows {
  std::vector<double> durations_s;     // of the rows that can be read, in their order
  std::vector<std::size_t> bad_lines;  // of the others
  std::string first_fault;             // of the first of these
};

// Throws UsageError where the file cannot be read, has no row, or a row does not say how long it
// is.
ManifestRows read_manifest(const std::filesystem::path& manifest);

// Lines of these rows, by their numbers in durations_s, which go up.
std::vector<std::string> lines_of_rows(const std::filesystem::path& manifest,
                                       std::span<const std::size_t> rows);

}  // namespace wnpu::app
