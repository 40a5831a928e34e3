// GPT-2's byte-level alphabet: tokenizer files spell each byte of a token as one printable
// character ("Ġ" for a space). Reference: openai/gpt-2 encoder.py bytes_to_unicode.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace wnpu::models {

// The bytes that `spelled` (UTF-8) stands for; nothing where a character is not of the alphabet.
std::optional<std::string> bytes_of_spelling(std::string_view spelled);
// The other way round, for any bytes.
std::string spelling_of_bytes(std::string_view bytes);

}  // namespace wnpu::models
