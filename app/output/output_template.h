// Names of results by a template: "{dir}/{stem}.{lang}.{ext}".
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "app/options/options.h"

namespace wnpu::app {

// The path of a result. Its file's name may depend on the recording's language, which is known when
// the work is done.
struct ResultPath {
  std::filesystem::path folder;
  std::vector<std::string> name;  // of the file; the language stands between each two

  bool needs_language() const { return name.size() > 1; }
  // An empty language is "und", undetermined (ISO 639-2).
  std::filesystem::path in(std::string_view language) const;
};

class OutputTemplate {
 public:
  // Throws UsageError for braces that name no field, a template that ends in a folder, {dir}
  // elsewhere than in front, and {lang} in the name of a folder where no language is given.
  explicit OutputTemplate(const Options& options);

  // Whether results of several formats have names of their own.
  bool has_extension() const;
  // Text behind the last dot of the name, if that is no field.
  std::string extension() const;

  // Result's path for an input, the `number`-th from 1 on. Throws UsageError if a field makes a
  // folder's name "." or "..": an input's name must not lead out of where the template leads.
  ResultPath path_of(const std::string& input, std::size_t number, Format format) const;

 private:
  struct Field {
    std::string name;  // empty: `text` as it is
    std::string text;
  };
  using Part = std::vector<Field>;  // what stands between two slashes

  static Part parse_part(std::string_view text);
  void check(const Options& options) const;
  // Pieces of one part; the language stands between each two.
  std::vector<std::string> pieces_of(const Part& part, const std::string& input, std::size_t number,
                                     Format format) const;
  std::string value_of(const Field& field, const std::string& input, std::size_t number,
                       Format format) const;

  std::string text_;
  std::vector<Part> parts_;
  std::string output_dir_;
  std::map<std::string, std::string> subfolders_;
  std::string language_;
  std::string model_;
  std::string task_;
};

// The input's name without its last extension (openai/whisper utils.py ResultWriter); "stdin" of
// stdin.
std::string stem_of(const std::string& input);

}  // namespace wnpu::app
