#include "bench/references.h"

#include <algorithm>
#include <stdexcept>

#include "app/exit_code.h"

namespace wnpu::bench {

namespace fs = std::filesystem;

References::References(const fs::path& manifest) {
  if (manifest.empty()) return;
  folder_ = manifest.parent_path();
  try {
    entries_ = read_manifest(manifest);
  } catch (const std::runtime_error& error) {
    throw app::UsageError(std::string("--references ") + error.what());
  }
  std::erase_if(entries_, [](const ManifestEntry& entry) { return !entry.reference; });
  english_ = EnglishNormalizer::with_spelling_map_at(default_spelling_map_path());
}

std::vector<std::string> References::files(const std::string& language) const {
  std::vector<std::string> files;
  for (const ManifestEntry& entry : entries_) {
    const bool is_wanted = language.empty() || entry.language == language;
    if (is_wanted) files.push_back((folder_ / entry.file).string());
  }
  return files;
}

const ManifestEntry* References::find(const std::string& file) const {
  const fs::path wanted = fs::weakly_canonical(file);
  for (const ManifestEntry& entry : entries_) {
    if (fs::weakly_canonical(folder_ / entry.file) == wanted) return &entry;
  }
  const auto has_name = [&wanted](const ManifestEntry& entry) {
    return fs::path(entry.file).filename() == wanted.filename();
  };
  const auto found = std::ranges::find_if(entries_, has_name);
  const bool is_only = std::ranges::count_if(entries_, has_name) == 1;
  return is_only ? &*found : nullptr;
}

std::optional<Score> References::score(const std::string& file, const std::string& text) const {
  const ManifestEntry* entry = find(file);
  if (entry == nullptr) return std::nullopt;
  const auto normalize = [&](const std::string& raw) {
    return entry->language == "en" ? english_(raw) : normalize_basic(raw);
  };
  const std::string reference = normalize(*entry->reference);
  const std::string heard = normalize(text);
  return Score{count_word_errors(reference, heard), count_character_errors(reference, heard)};
}

}  // namespace wnpu::bench
