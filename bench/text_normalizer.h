// The two text normalisers that Whisper's word error rates are measured with, reproduced from
// openai/whisper (whisper/normalizers, release 20250625). Results are as there, with leading and
// trailing spaces.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>

namespace wnpu::bench {

enum class Diacritics { kKeep, kRemove };
enum class Letters { kTogether, kSplit };  // split: each grapheme cluster becomes a word

// For languages other than English: no brackets, symbols and punctuation, lower case.
std::string normalize_basic(std::string_view utf8, Diacritics diacritics = Diacritics::kKeep,
                            Letters letters = Letters::kTogether);

// British spelling -> American spelling.
using SpellingMap = std::unordered_map<std::string, std::string>;

// openai/whisper's english.json, which bench/fetch_spelling_map.sh puts at
// default_spelling_map_path(). Throws std::runtime_error with the path and what is wrong.
SpellingMap read_spelling_map(const std::filesystem::path& path);
// $XDG_CACHE_HOME or $HOME/.cache, then whisper-npu/normalizer/english.json.
std::filesystem::path default_spelling_map_path();

class EnglishNormalizer {
 public:
  // Without the map spellings stay as they are, which missing_parts() says.
  EnglishNormalizer() = default;
  explicit EnglishNormalizer(SpellingMap spellings);
  // With the map if the file is there, without it if not; a damaged file throws.
  static EnglishNormalizer with_spelling_map_at(const std::filesystem::path& path);

  std::string operator()(std::string_view utf8) const;

  // Empty, or why results differ from openai/whisper's: "spelling map missing: no PATH; ...".
  const std::string& missing_parts() const { return missing_parts_; }

 private:
  SpellingMap spellings_;
  std::string missing_parts_ = "spelling map missing";
};

}  // namespace wnpu::bench
