#include "models/text/pre_tokenizer.h"

#include "models/base/error.h"
#include "models/text/pattern.h"

namespace wnpu::models {
namespace {

// openai/whisper tokenizer.py get_encoding, pat_str. Its \s is Unicode's White_Space; PCRE2's \s
// has U+180E besides (pcre2pattern: \h), so the set is spelled out here.
constexpr std::string_view kPattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+)"
    R"(| ?[^\t-\r\x{85}\p{Z}\p{L}\p{N}]+)"
    R"(|[\t-\r\x{85}\p{Z}]+(?![^\t-\r\x{85}\p{Z}])|[\t-\r\x{85}\p{Z}]+)";

}  // namespace

std::vector<std::string_view> pre_tokenize(std::string_view utf8) {
  static const Pattern kPieces(kPattern);
  std::vector<std::string_view> pieces;
  for (std::size_t start = 0; start < utf8.size();) {
    const std::size_t end = kPieces.end_of_match(utf8, start);
    // The pattern takes any character.
    if (end == std::string_view::npos) throw ModelError("pre-tokeniser: found no piece");
    pieces.push_back(utf8.substr(start, end - start));
    start = end;
  }
  return pieces;
}

}  // namespace wnpu::models
