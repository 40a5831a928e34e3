// Characters as Unicode's code points, and which are letters, whatever the process' locale is.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace wnpu::models {

// Code point of one character of valid UTF-8.
char32_t code_point(std::string_view character);

void append_code_point(char32_t point, std::string& text);

// A letter or digit in lower case; none for other characters.
std::optional<char32_t> lower_letter(char32_t point);

}  // namespace wnpu::models
