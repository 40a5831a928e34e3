// re.sub of Python with a function in the place of the regular expression.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace wnpu::bench {

struct Match {
  std::size_t end;  // of the matched text, at least one character after its start
  std::u32string replacement;
};

// What an expression matches that begins at text[at]; at < text.size().
using Matcher = std::function<std::optional<Match>(std::u32string_view text, std::size_t at)>;

// Replaces the matches from left to right; a character belongs to one match at most.
std::u32string substitute(std::u32string_view text, const Matcher& matcher);

}  // namespace wnpu::bench
