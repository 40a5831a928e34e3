#include "models/base/utf8.h"

#include <algorithm>
#include <cstdint>

namespace wnpu::models {
namespace {

// Bytes that may follow a lead byte: Unicode 15, table 3-7, well-formed UTF-8 byte sequences.
struct Lead {
  std::size_t length = 0;    // of the whole sequence; 0: no lead byte
  unsigned char low = 0x80;  // range of the second byte
  unsigned char high = 0xBF;
};

Lead lead_of(unsigned char c) {
  if (c < 0x80) return {1};
  if (c >= 0xC2 && c <= 0xDF) return {2};
  if (c == 0xE0) return {3, 0xA0, 0xBF};
  if (c == 0xED) return {3, 0x80, 0x9F};
  if (c >= 0xE1 && c <= 0xEF) return {3};
  if (c == 0xF0) return {4, 0x90, 0xBF};
  if (c >= 0xF1 && c <= 0xF3) return {4};
  if (c == 0xF4) return {4, 0x80, 0x8F};
  return {};
}

// Bytes of `s` that belong together; `whole` is set where they make a character.
std::size_t sequence_at(std::string_view s, bool& whole) {
  const Lead lead = lead_of(static_cast<unsigned char>(s[0]));
  whole = false;
  if (lead.length == 0) return 1;
  std::size_t n = 1;
  for (; n < lead.length && n < s.size(); ++n) {
    const auto c = static_cast<unsigned char>(s[n]);
    const bool second = n == 1;
    if (c < (second ? lead.low : 0x80) || c > (second ? lead.high : 0xBF)) break;
  }
  whole = n == lead.length;
  return n;
}

struct Character {
  char32_t code = 0;
  std::size_t length = 1;  // bytes
};

// The first character of `text`, which is not empty.
Character first_character(std::string_view text) {
  const auto first = static_cast<std::uint8_t>(text[0]);
  if (first < 0xC0) return {first, 1};
  const std::size_t length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  char32_t code = first & (0x7FU >> length);
  for (std::size_t i = 1; i < std::min(length, text.size()); ++i) {
    code = (code << 6U) | (static_cast<std::uint8_t>(text[i]) & 0x3FU);
  }
  return {code, std::min(length, text.size())};
}

// CPython Objects/unicodetype_db.h _PyUnicode_IsWhitespace.
bool is_space(char32_t code) {
  return (code >= 0x09 && code <= 0x0D) || (code >= 0x1C && code <= 0x20) || code == 0x85 ||
         code == 0xA0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200A) || code == 0x2028 ||
         code == 0x2029 || code == 0x202F || code == 0x205F || code == 0x3000;
}

}  // namespace

std::string repair_utf8(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  while (!bytes.empty()) {
    bool whole = false;
    const std::size_t n = sequence_at(bytes, whole);
    out += whole ? bytes.substr(0, n) : kReplacement;
    bytes.remove_prefix(n);
  }
  return out;
}

std::size_t count_characters(std::string_view text) {
  // Bytes other than 10xxxxxx start one.
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char byte) { return (static_cast<std::uint8_t>(byte) & 0xC0U) != 0x80U; }));
}

std::string_view first_characters(std::string_view text, std::size_t count) {
  std::size_t bytes = 0;
  for (; bytes < text.size() && count > 0; --count) {
    bytes += first_character(text.substr(bytes)).length;
  }
  return text.substr(0, bytes);
}

std::size_t leading_space(std::string_view text) {
  std::size_t bytes = 0;
  while (bytes < text.size()) {
    const Character character = first_character(text.substr(bytes));
    if (!is_space(character.code)) break;
    bytes += character.length;
  }
  return bytes;
}

std::string_view strip(std::string_view text) {
  text.remove_prefix(leading_space(text));
  std::size_t end = 0;  // behind the last character that is no space
  for (std::size_t i = 0; i < text.size();) {
    const Character character = first_character(text.substr(i));
    i += character.length;
    if (!is_space(character.code)) end = i;
  }
  return text.substr(0, end);
}

// Every second byte of plain text is zero there.
bool is_utf16(std::string_view begin) {
  if (begin.starts_with("\xFF\xFE") || begin.starts_with("\xFE\xFF")) return true;
  const auto is_zero = [&](std::size_t i) { return i < begin.size() && begin[i] == '\0'; };
  return is_zero(0) != is_zero(1);
}

std::string replace_all(std::string_view text, std::string_view from, std::string_view to) {
  std::string result;
  for (std::size_t at = text.find(from); at != std::string_view::npos; at = text.find(from)) {
    result += text.substr(0, at);
    result += to;
    text.remove_prefix(at + from.size());
  }
  return result += text;
}

}  // namespace wnpu::models
