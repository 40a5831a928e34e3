// openai/whisper's text normalisers, which are asked in Python (bench/normalize.py).
#pragma once

#include <string>
#include <vector>

#include "bench/core/child_process.h"

namespace wnpu::bench {

// The script in the environment of the peers. Throws std::runtime_error where it is missing.
std::vector<std::string> normalizer_command();

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

}  // namespace wnpu::bench
