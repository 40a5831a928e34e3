#include "models/utf8.h"

#include <cstddef>

namespace wnpu::models {
namespace {

// What may follow a lead byte: Unicode 15, table 3-7, well-formed UTF-8 byte sequences.
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

}  // namespace

std::string repair_utf8(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  while (!bytes.empty()) {
    bool whole = false;
    const std::size_t n = sequence_at(bytes, whole);
    out += whole ? bytes.substr(0, n) : std::string_view("\xEF\xBF\xBD");
    bytes.remove_prefix(n);
  }
  return out;
}

}  // namespace wnpu::models
