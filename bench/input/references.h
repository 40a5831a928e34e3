// Reference texts of files, and error rates of transcripts against them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bench/core/child_process.h"
#include "bench/core/results.h"
#include "bench/input/error_rate.h"
#include "bench/input/manifest.h"

namespace wnpu::bench {

// The script in the environment of the peers. Throws std::runtime_error where it is missing.
std::vector<std::string> normalizer_command();

// openai/whisper's text normalisers, which are asked in Python (bench/normalize.py).
class TextNormalizer {
 public:
  // Throws std::runtime_error where the command cannot be started.
  explicit TextNormalizer(std::vector<std::string> command);

  // By the English normaliser where the language's code is "en", else by the basic one; spaces at
  // the ends may be left. Throws std::runtime_error where the command failed, with its own words.
  std::string operator()(const std::string& text, const std::string& language);

 private:
  AnsweringProcess process_;
};

// Errors in the texts of one program, by file; neither has files without a reference.
struct Scores {
  std::vector<ErrorCounts> words;
  std::vector<ErrorCounts> characters;
};

class References {
 public:
  // An empty path: no references. Throws UsageError.
  explicit References(const std::filesystem::path& manifest,
                      std::vector<std::string> normalizer = {});

  // Files with reference text in this language, in any where it is empty; as paths to open.
  std::vector<std::string> files(const std::string& language) const;
  // Sets the error rates of texts, after normalising with openai's English normaliser, or its basic
  // one for other languages. A file is known by its path below the manifest's folder, or by its
  // name where only one entry has it; of others the rates stay away. Throws std::runtime_error
  // where the normaliser is missing.
  Scores score(std::vector<Heard>& heard) const;
  bool is_empty() const { return entries_.empty(); }

 private:
  const ManifestEntry* find(const std::string& file) const;

  std::filesystem::path folder_;
  std::vector<ManifestEntry> entries_;   // those with reference text
  std::vector<std::string> normalizer_;  // the command of another than normalizer_command()
};

// Adds what was heard to the results, with error rates where there are references. Where these
// cannot be computed, a note says why, and the exit code that something is left out.
Scores add_heard(std::vector<Heard> heard, const References& references, Results& results);
// Word and character error rates of all files together; none without scores.
std::vector<Figure> error_rates(const Scores& scores);

}  // namespace wnpu::bench
