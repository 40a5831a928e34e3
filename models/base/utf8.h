// UTF-8: repair of text that tokens may have cut in the middle of a character, and valid text (what
// the repair gives) counted and stripped by characters.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace wnpu::models {

// U+FFFD, what stands for bytes that are no text.
inline constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// Replaces every maximal ill-formed part by U+FFFD, as Unicode 15 section 3.9 (table 3-8)
// recommends and as Python's bytes.decode("utf-8", errors="replace") does in openai/whisper.
std::string repair_utf8(std::string_view bytes);

// Whether a text begins as one of UTF-16 does, with a byte order mark or without, and what it is
// told.
bool is_utf16(std::string_view begin);
inline constexpr const char* kWantsUtf8 =
    "expected UTF-8, found UTF-16, as programs on Windows save it (iconv -f UTF-16 -t UTF-8)";

// Whether a character of valid UTF-8 begins with this byte.
constexpr bool begins_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80;
}

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

}  // namespace wnpu::models
