#include "models/text/byte_level.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace wnpu::models {
namespace {

// Bytes that stand for themselves, as Latin-1 characters; the other 68 follow from U+0100 on.
constexpr bool stands_for_itself(int byte) {
  return (byte >= '!' && byte <= '~') || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
}

constexpr std::size_t kAlphabetEnd = 256 + 68;

// Character of each byte.
constexpr std::array<std::uint16_t, 256> character_of_byte() {
  std::array<std::uint16_t, 256> characters = {};
  std::uint16_t next = 256;
  for (int byte = 0; byte < 256; ++byte) {
    characters[static_cast<std::size_t>(byte)] =
        stands_for_itself(byte) ? static_cast<std::uint16_t>(byte) : next++;
  }
  return characters;
}

// Byte of each character; -1 for those that are not of the alphabet.
constexpr std::array<int, kAlphabetEnd> byte_of_character() {
  std::array<int, kAlphabetEnd> bytes = {};
  for (int& byte : bytes) byte = -1;
  const auto characters = character_of_byte();
  for (std::size_t i = 0; i < characters.size(); ++i) bytes[characters[i]] = static_cast<int>(i);
  return bytes;
}

constexpr auto kBytes = byte_of_character();
constexpr auto kCharacters = character_of_byte();

}  // namespace

std::optional<std::string> bytes_of_spelling(std::string_view spelled) {
  std::string bytes;
  for (std::size_t i = 0; i < spelled.size(); ++i) {
    auto character = static_cast<std::size_t>(static_cast<unsigned char>(spelled[i]));
    // The alphabet ends at U+0143, so that two bytes of UTF-8 are the most there can be.
    if (character >= 0x80) {
      if (character < 0xc2 || character > 0xc5 || i + 1 == spelled.size()) return std::nullopt;
      const auto next = static_cast<std::size_t>(static_cast<unsigned char>(spelled[++i]));
      if ((next & 0xc0U) != 0x80U) return std::nullopt;
      character = (character & 0x1fU) << 6U | (next & 0x3fU);
    }
    if (character >= kAlphabetEnd || kBytes[character] < 0) return std::nullopt;
    bytes += static_cast<char>(kBytes[character]);
  }
  return bytes;
}

std::string spelling_of_bytes(std::string_view bytes) {
  std::string spelled;
  for (const char byte : bytes) {
    const unsigned character = kCharacters[static_cast<unsigned char>(byte)];
    if (character < 0x80) {
      spelled += static_cast<char>(character);
    } else {
      spelled += static_cast<char>(0xc0U | character >> 6U);
      spelled += static_cast<char>(0x80U | (character & 0x3fU));
    }
  }
  return spelled;
}

}  // namespace wnpu::models
