#include "models/text/pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <cstdint>
#include <new>
#include <pcre2.h>
#include <string>

#include "models/base/error.h"

namespace wnpu::models {
namespace {

struct FreeMatch {
  void operator()(pcre2_match_data* match) const { pcre2_match_data_free(match); }
};

std::string error_text(int code) {
  std::string text(128, '\0');
  const int length =
      pcre2_get_error_message(code, reinterpret_cast<PCRE2_UCHAR*>(text.data()), text.size());
  text.resize(length > 0 ? static_cast<std::size_t>(length) : 0);
  return text;
}

}  // namespace

void Pattern::FreeCode::operator()(pcre2_code* code) const { pcre2_code_free(code); }

Pattern::Pattern(std::string_view pattern) {
  int error = 0;
  std::size_t offset = 0;
  code_.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(), PCRE2_UTF,
                            &error, &offset, nullptr));
  if (error == PCRE2_ERROR_HEAP_FAILED) throw std::bad_alloc();
  if (!code_) throw ModelError("text: expected a good pattern, found " + error_text(error));
}

std::size_t Pattern::end_of_match(std::string_view utf8, std::size_t start) const {
  const std::unique_ptr<pcre2_match_data, FreeMatch> match(
      pcre2_match_data_create_from_pattern(code_.get(), nullptr));
  if (!match) throw std::bad_alloc();
  const std::uint32_t options = PCRE2_ANCHORED | (start == 0 ? 0 : PCRE2_NO_UTF_CHECK);
  const int found = pcre2_match(code_.get(), reinterpret_cast<PCRE2_SPTR>(utf8.data()), utf8.size(),
                                start, options, match.get(), nullptr);
  if (found == PCRE2_ERROR_NOMATCH) return std::string_view::npos;
  if (found == PCRE2_ERROR_NOMEMORY || found == PCRE2_ERROR_HEAPLIMIT) throw std::bad_alloc();
  if (found < 0) throw ModelError("text: expected valid text: " + error_text(found));
  return pcre2_get_ovector_pointer(match.get())[1];
}

}  // namespace wnpu::models
