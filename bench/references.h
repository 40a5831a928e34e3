// What is said in files, and how far a transcript is from it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "bench/error_rate.h"
#include "bench/manifest.h"
#include "bench/text_normalizer.h"

namespace wnpu::bench {

struct Score {
  ErrorCounts words;
  ErrorCounts characters;
};

class References {
 public:
  // An empty path: no references. Throws UsageError.
  explicit References(const std::filesystem::path& manifest);

  // Files with reference text in this language, in any where it is empty; as paths to open.
  std::vector<std::string> files(const std::string& language) const;
  // Errors after normalising with openai's English normaliser, or its basic one for other
  // languages; nullopt where nothing is known of the file. A file is known by its path below the
  // manifest's folder, or by its name where only one entry has it.
  std::optional<Score> score(const std::string& file, const std::string& text) const;
  // Why rates differ from openai/whisper's; empty: they do not.
  const std::string& missing_parts() const { return english_.missing_parts(); }
  bool is_empty() const { return entries_.empty(); }

 private:
  const ManifestEntry* find(const std::string& file) const;

  std::filesystem::path folder_;
  std::vector<ManifestEntry> entries_;  // those with reference text
  EnglishNormalizer english_;
};

}  // namespace wnpu::bench
