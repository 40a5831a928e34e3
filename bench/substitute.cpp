#include "bench/substitute.h"

namespace wnpu::bench {

std::u32string substitute(std::u32string_view text, const Matcher& matcher) {
  std::u32string result;
  for (std::size_t at = 0; at < text.size();) {
    if (const auto match = matcher(text, at)) {
      result += match->replacement;
      at = match->end;
    } else {
      result.push_back(text[at++]);
    }
  }
  return result;
}

}  // namespace wnpu::bench
