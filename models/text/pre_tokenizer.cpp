#include "models/text/pre_tokenizer.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <cstdint>
#include <memory>
#include <pcre2.h>
#include <string>

#include "models/base/error.h"

namespace wnpu::models {
namespace {

struct FreeCode {
  void operator()(pcre2_code* code) const { pcre2_code_free(code); }
};
struct FreeMatch {
  void operator()(pcre2_match_data* match) const { pcre2_match_data_free(match); }
};
using Code = std::unique_ptr<pcre2_code, FreeCode>;
using Match = std::unique_ptr<pcre2_match_data, FreeMatch>;

// openai/whisper tokenizer.py get_encoding, pat_str. Its \s is Unicode's White_Space; PCRE2's \s
// has U+180E besides (pcre2pattern: \h), so the set is spelled out here.
constexpr std::string_view kPattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+)"
    R"(| ?[^\t-\r\x{85}\p{Z}\p{L}\p{N}]+)"
    R"(|[\t-\r\x{85}\p{Z}]+(?![^\t-\r\x{85}\p{Z}])|[\t-\r\x{85}\p{Z}]+)";

std::string error_text(int code) {
  std::string text(128, '\0');
  const int length =
      pcre2_get_error_message(code, reinterpret_cast<PCRE2_UCHAR*>(text.data()), text.size());
  text.resize(length > 0 ? static_cast<std::size_t>(length) : 0);
  return text;
}

Code compile() {
  int error = 0;
  std::size_t offset = 0;
  Code code(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(kPattern.data()), kPattern.size(), PCRE2_UTF,
                          &error, &offset, nullptr));
  if (error == PCRE2_ERROR_HEAP_FAILED) throw std::bad_alloc();
  if (!code) throw ModelError("pre-tokeniser: expected a good pattern, found " + error_text(error));
  return code;
}

}  // namespace

std::vector<std::string_view> pre_tokenize(std::string_view utf8) {
  static const Code kCode = compile();  // compiled code is read-only: threads may share it
  const Match match(pcre2_match_data_create_from_pattern(kCode.get(), nullptr));
  if (!match) throw std::bad_alloc();
  std::vector<std::string_view> pieces;
  std::size_t start = 0;
  while (start < utf8.size()) {
    // The first match checks that the text is UTF-8; it need not be done again for each piece.
    const std::uint32_t options = PCRE2_ANCHORED | (start == 0 ? 0 : PCRE2_NO_UTF_CHECK);
    const int found = pcre2_match(kCode.get(), reinterpret_cast<PCRE2_SPTR>(utf8.data()),
                                  utf8.size(), start, options, match.get(), nullptr);
    // The pattern takes any character, so that only bad UTF-8 or exhausted memory ends here.
    if (found == PCRE2_ERROR_NOMEMORY || found == PCRE2_ERROR_HEAPLIMIT) throw std::bad_alloc();
    if (found < 0) throw ModelError("pre-tokeniser: expected valid text: " + error_text(found));
    const std::size_t end = pcre2_get_ovector_pointer(match.get())[1];
    pieces.push_back(utf8.substr(start, end - start));
    start = end;
  }
  return pieces;
}

}  // namespace wnpu::models
