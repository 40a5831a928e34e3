// Places where text may be parted, between two words that are next to each other. Both are valid
// UTF-8.
#pragma once

#include <string_view>

namespace wnpu::models {

// Whether `text` begins with a mark that belongs to the character in front of it: a vowel or tone
// of Thai, Lao and Myanmar, an accent, a joiner.
bool begins_with_mark(std::string_view text);

// Whether a line may end between `before` and `after`. At white space it may. Without any it may
// beside characters of a script that has no spaces, but not in front of a mark, a small kana, a
// long-vowel sign or a closing mark, nor behind an opening one (JIS X 4051, Unicode UAX 14).
bool may_break(std::string_view before, std::string_view after);

}  // namespace wnpu::models
