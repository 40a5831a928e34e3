// The list of a corpus: files, their kinds and what is said in them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace wnpu::bench {

struct ManifestEntry {
  std::string file;                      // relative to the manifest's folder
  std::optional<double> duration_s;      // nullopt where the manifest has "-"
  std::optional<std::string> reference;  // what is said
  std::string kind;                      // "en-short", "en-long", "broken", ...
  std::string language;                  // code: "en"
};

// Tab-separated with a header line that names at least file, duration_s, reference, kind and lang,
// in any order. A field may stand in quotes, a quote inside it doubled. Throws std::runtime_error
// with path, line and what is wrong.
std::vector<ManifestEntry> read_manifest(const std::filesystem::path& path);

}  // namespace wnpu::bench
