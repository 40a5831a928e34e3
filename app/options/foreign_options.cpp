#include "app/options/foreign_options.h"

#include <algorithm>
#include <string>
#include <vector>

namespace wnpu::app {

extern const std::string_view kForeignOptions;  // foreign_options.txt, made by CMake

namespace {

struct ForeignWords {
  std::vector<ForeignOption> options;
  std::vector<ForeignOption> others;  // "-t", "-osrt"
};

// Text before `mark`. Both are taken away from `text`.
std::string_view take_to(char mark, std::string_view& text) {
  const std::string_view taken = text.substr(0, text.find(mark));
  text.remove_prefix(std::min(taken.size() + 1, text.size()));
  return taken;
}

ForeignWords read_words(std::string_view text) {
  ForeignWords all;
  while (!text.empty()) {
    std::string_view line = take_to('\n', text);
    if (line.empty() || line.starts_with('#')) continue;
    ForeignOption word{take_to(' ', line), "", ""};
    const bool is_ours = take_to(' ', line) == "=";
    if (is_ours) word.ours = take_to(' ', line);
    (is_ours ? word.value : word.advice) = line;
    if (word.name.starts_with("--")) {
      word.name.remove_prefix(2);
      if (is_ours) word.ours.remove_prefix(2);
      all.options.push_back(word);
    } else {
      all.others.push_back(word);
    }
  }
  return all;
}

const ForeignWords& foreign_words() {
  static const ForeignWords kWords = read_words(kForeignOptions);
  return kWords;
}

const ForeignOption* find_word(std::span<const ForeignOption> words, std::string_view name) {
  const auto found = std::ranges::find(words, name, &ForeignOption::name);
  return found == words.end() ? nullptr : &*found;
}

}  // namespace

std::span<const ForeignOption> foreign_options() { return foreign_words().options; }

const ForeignOption* find_foreign_option(std::string_view name) {
  return find_word(foreign_words().options, name);
}

std::string_view long_name_of(std::string_view word) {
  const ForeignOption* const found = find_word(foreign_words().others, word);
  return found == nullptr ? "" : found->ours;
}

std::string_view advice_for_glued_output(std::string_view letters) {
  const ForeignOption* const found =
      find_word(foreign_words().others, std::string("-o").append(letters));
  return found == nullptr ? "" : found->advice;
}

}  // namespace wnpu::app
