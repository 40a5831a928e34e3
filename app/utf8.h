// UTF-8 as the writers need it: counted and stripped by characters. The texts here are valid:
// models::repair_utf8 comes first.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace wnpu::app {

// Characters (code points) of valid UTF-8.
std::size_t count_characters(std::string_view text);

// The first `count` characters of `text`, or all of it.
std::string_view first_characters(std::string_view text, std::size_t count);

// Bytes of the whitespace that `text` begins with. Whitespace is what Python's str.isspace() calls
// so: openai/whisper's writers strip with it.
std::size_t leading_space(std::string_view text);

// `text` without whitespace at both ends, as Python's str.strip().
std::string_view strip(std::string_view text);

// `text` with every `from` replaced by `to`.
std::string replace_all(std::string_view text, std::string_view from, std::string_view to);

}  // namespace wnpu::app
